"""The few `docker` commands of the shipped verifier workflow, carried out with bubblewrap.

A container here is a root folder of the machine's own programs, read-only, an own home and /tmp, the mounted volume and
nothing else: no file and no variable of the runner. It has the network until it is disconnected.
Run as `docker` on a simulated runner; https://docs.docker.com/reference/cli/docker/ describes the commands.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

HOME = "/container"
NOT_HERE = 125  # what docker itself answers when it could not start anything
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ssl", "/etc/passwd", "/etc/group")
FLAGS = {"--detach", "--force"}


def main(arguments: list[str]) -> int:
    """The exit code of one command line."""
    commands = {"run": run, "exec": execute, "rm": remove, "network": disconnect}
    known = commands.get(arguments[0]) if arguments else None
    if known is None or shutil.which("bwrap") is None:
        print("docker: this simulated runner has no containers", file=sys.stderr)
        return NOT_HERE
    return known(arguments[1:])


def run(arguments: list[str]) -> int:
    options, (image, *_) = split(arguments)
    name = options["--name"][0]
    if record(name).exists():
        print(f"docker: the container name {name} is already in use", file=sys.stderr)
        return NOT_HERE
    source, target = options["--volume"][0].split(":")
    made = {"image": image, "source": source, "target": target, "folder": options["--workdir"][0], "network": True}
    home = tempfile.mkdtemp(prefix="container-", dir=os.environ["RUNNER_TEMP"])
    record(name).write_text(json.dumps(made | {"home": home}), "utf-8")
    print(name)
    return 0


def execute(arguments: list[str]) -> int:
    name, *command = arguments
    made = json.loads(record(name).read_text("utf-8"))
    os.execvp("bwrap", ["bwrap", *sandbox(made), *command])


def sandbox(made: dict[str, str]) -> list[str]:
    """Options of bwrap for one container."""
    shown = [*SYSTEM, sys.prefix, sys.base_prefix]
    binds = [word for path in shown if Path(path).exists() for word in ("--ro-bind", path, path)]
    variables = {"PATH": os.pathsep.join((f"{sys.prefix}/bin", "/usr/bin", "/bin")), "HOME": HOME}
    return [
        # First the empty /tmp: the programs themselves may lie below it.
        *("--tmpfs", "/tmp", *binds, "--proc", "/proc", "--dev", "/dev", "--bind", made["home"], HOME),
        *("--bind", made["source"], made["target"], "--chdir", made["folder"], "--unshare-all", "--die-with-parent"),
        *(["--share-net"] if made["network"] else []),
        "--clearenv",
        *(word for name, value in variables.items() for word in ("--setenv", name, value)),
    ]


def disconnect(arguments: list[str]) -> int:
    _disconnect, _network, name = arguments
    made = json.loads(record(name).read_text("utf-8"))
    record(name).write_text(json.dumps(made | {"network": False}), "utf-8")
    return 0


def remove(arguments: list[str]) -> int:
    _, (name,) = split(arguments)
    record(name).unlink()
    return 0


def record(name: str) -> Path:
    return Path(os.environ["RUNNER_TEMP"]) / f"{name}.container"


def split(arguments: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Options, by name, and the rest of the words."""
    options: dict[str, list[str]] = {}
    words = list(arguments)
    while words and words[0].startswith("--"):
        option = words.pop(0)
        options.setdefault(option, []).append("" if option in FLAGS else words.pop(0))
    return options, words


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
