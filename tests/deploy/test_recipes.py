"""The recipes of deploy/: read by the tools that will read them, and held to what they promise."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml")
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
CONFIG = (DEPLOY.parent / "app" / "config.py").read_text(encoding="utf-8")
GATES_OWN = ("MERGEGATE_APP_ID", "MERGEGATE_PRIVATE_KEY", "MERGEGATE_WEBHOOK_SECRET")
# The scale of systemd-analyze ends at 10; below 2.0 it calls a unit OK.
MOST_EXPOSURE = "20"


def installed(program: str) -> str:
    """Its path, also where Debian keeps programs of the administrator; skips the test without it."""
    found = shutil.which(program, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def in_environment(program: str) -> str:
    return str(Path(sys.executable).with_name(program))


def judged_good(*command: str, cwd: Path = DEPLOY) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def documents(path: Path) -> list[Any]:
    return [one for one in yaml.safe_load_all(path.read_text(encoding="utf-8")) if one is not None]


def deployments() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in MANIFESTS:
        for one in documents(path):
            if one["kind"] == "Deployment":
                yield one["metadata"]["name"], one["spec"]["template"]["spec"]


def test_the_image_recipe_is_good_to_hadolint() -> None:
    judged_good(in_environment("hadolint"), "container/Dockerfile")


def test_the_image_is_not_root_and_its_base_must_be_named() -> None:
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8")
    last = text[text.rindex("FROM ") :]
    assert re.search(r"^USER (?!0|root)\S+$", last, re.M)
    assert "HEALTHCHECK" in last
    assert set(re.findall(r"^FROM (\S+)", text, re.M)) == {"${PYTHON_IMAGE}"}
    assert "ARG PYTHON_IMAGE\n" in text, "no default: whoever builds names a digest"


def test_nothing_is_copied_into_the_image_that_is_not_named() -> None:
    lines = (DEPLOY / "container" / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    assert lines[1] == "*"
    assert all((DEPLOY.parent / name).exists() for name in kept)


def test_compose_fits_its_published_schema() -> None:
    judged_good(in_environment("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", "compose/compose.yml")


def test_the_manifests_fit_kubernetes_schemas() -> None:
    judged_good(in_environment("kubernetes-validate"), "--strict", *map(str, MANIFESTS))


def test_kustomize_lists_every_manifest() -> None:
    (listed,) = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    assert sorted(listed["resources"]) == [path.name for path in MANIFESTS]


def test_every_container_is_locked_down() -> None:
    found = dict(deployments())
    assert set(found) == {"web", "work", "proxy"}
    for spec in found.values():
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["automountServiceAccountToken"] is False
        for container in spec["containers"]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"] is True
            assert context["allowPrivilegeEscalation"] is False
            assert context["capabilities"]["drop"] == ["ALL"]


def test_the_proxy_never_has_the_gates_key() -> None:
    proxy = dict(deployments())["proxy"]
    assert not [name for name in GATES_OWN if name in yaml.safe_dump(proxy)]
    assert "mergegate-gate" not in yaml.safe_dump(proxy)
    compose = documents(DEPLOY / "compose" / "compose.yml")[0]["services"]["proxy"]
    assert not [name for name in (*GATES_OWN, "gate_key") if name in yaml.safe_dump(compose)]
    unit = (DEPLOY / "systemd" / "mergegate-proxy.service").read_text(encoding="utf-8")
    assert not [name for name in GATES_OWN if f"Environment={name}" in unit]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_is_started_again_however_long_the_database_is_away(path: Path) -> None:
    """systemd gives up after five starts within ten seconds unless the interval is 0 (systemd.unit(5))."""
    unit, service = path.read_text(encoding="utf-8").split("[Service]\n")
    assert "\nStartLimitIntervalSec=0\n" in unit
    assert "\nRestart=always\n" in service


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_the_units_are_good_to_systemd(path: Path, tmp_path: Path) -> None:
    program = installed("systemd-analyze")
    judged_good(program, "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", str(path))
    # Where the program lies is the machine's affair; here it is one that exists.
    text = path.read_text(encoding="utf-8").replace("/opt/mergegate/bin/mergegate", "/bin/true")
    (tmp_path / path.name).write_text(text, encoding="utf-8")
    judged_good(program, "verify", str(tmp_path / path.name))


def test_the_agents_firewall_is_good_to_nft() -> None:
    program = installed("nft")
    if os.geteuid() != 0:
        pytest.skip("nft reads rules as root only")
    judged_good(program, "--check", "--file", "agent-vm/nftables.conf")


def test_the_firewall_refuses_what_it_does_not_name() -> None:
    text = (DEPLOY / "agent-vm" / "nftables.conf").read_text(encoding="utf-8")
    assert re.findall(r"hook (\w+) priority filter; policy (\w+);", text) == [
        ("input", "drop"),
        ("forward", "drop"),
        ("output", "drop"),
    ]


def test_the_package_proxy_is_good_to_squid(tmp_path: Path) -> None:
    program = installed("squid")
    text = (DEPLOY / "agent-vm" / "squid.conf").read_text(encoding="utf-8")
    text = text.replace("/etc/squid/allowed-hosts", str(DEPLOY / "agent-vm" / "allowed-hosts"))
    (tmp_path / "squid.conf").write_text(text, encoding="utf-8")
    judged_good(program, "-k", "parse", "-f", str(tmp_path / "squid.conf"))


def test_the_machines_first_configuration_brings_the_firewall_itself() -> None:
    (config,) = documents(DEPLOY / "agent-vm" / "cloud-init.yaml")
    files = {one["path"]: one["content"] for one in config["write_files"]}
    assert files["/etc/nftables.conf"] == (DEPLOY / "agent-vm" / "nftables.conf").read_text(encoding="utf-8")
    assert config["users"][0]["sudo"] is False


def test_every_variable_is_one_that_the_program_reads() -> None:
    read = {f"MERGEGATE_{name}" for name in re.findall(r'"([A-Z][A-Z_]+)"', CONFIG)}
    others = {"MERGEGATE_IMAGE", "MERGEGATE_SESSION", "MERGEGATE_PROXY"}  # of compose itself, and of the agent's side
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            names = set(re.findall(r"MERGEGATE_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8")))
            unknown = {name.removesuffix("_FILE") for name in names} - read - others
            assert not unknown, path
