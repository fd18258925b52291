"""Links of check runs: which build is meant, and which links mean nothing."""

from __future__ import annotations

import pytest

from app.ci.links import BuildkiteBuild, CircleciBuild, JenkinsBuild, build_of
from app.ci.servers import CiServer, ci_servers
from app.secret import SecretStr
from tests.ci.double import JOB, WORKFLOW

SETTINGS = {
    "BUILDKITE_TOKEN": "bkua_1",
    "CIRCLECI_TOKEN": "CCIPAT_1",
    "JENKINS_URL": "https://ci.acme.test/jenkins/",
    "JENKINS_USER": "gate",
    "JENKINS_TOKEN": "11f0",
}
SERVERS: dict[str, CiServer] = {server.system: server for server in ci_servers(SETTINGS.get)}


@pytest.mark.parametrize(
    ("system", "link", "build"),
    [
        ("buildkite", "https://buildkite.com/acme/shop/builds/7", BuildkiteBuild("acme", "shop", 7)),
        ("buildkite", f"https://buildkite.com/acme/shop-2/builds/7#{JOB}", BuildkiteBuild("acme", "shop-2", 7, JOB)),
        ("buildkite", "https://buildkite.com/acme/shop/builds/7?x=1#top", BuildkiteBuild("acme", "shop", 7)),
        (
            "circleci",
            f"https://app.circleci.com/pipelines/github/acme/shop/3/workflows/{WORKFLOW}",
            CircleciBuild(WORKFLOW),
        ),
        (
            "circleci",
            f"https://app.circleci.com/pipelines/github/acme/shop/3/workflows/{WORKFLOW}/jobs/12/tests",
            CircleciBuild(WORKFLOW, job=12),
        ),
        ("circleci", f"https://circleci.com/workflow-run/{WORKFLOW}", CircleciBuild(WORKFLOW)),
        ("circleci", "https://circleci.com/gh/acme/shop/12?utm_source=x", CircleciBuild(None, "gh/acme/shop", 12)),
        ("jenkins", "https://ci.acme.test/jenkins/job/shop/12/", JenkinsBuild("/job/shop/12")),
        (
            "jenkins",
            "https://ci.acme.test/jenkins/job/shop/job/feature%252Fx/12/display/redirect",
            JenkinsBuild("/job/shop/job/feature%252Fx/12"),
        ),
    ],
)
def test_links_of_builds(system: str, link: str, build: object) -> None:
    assert build_of(SERVERS[system], link) == build


@pytest.mark.parametrize(
    ("system", "link"),
    [
        ("buildkite", None),
        ("buildkite", ""),
        ("buildkite", "https://buildkite.com/acme/shop"),
        ("buildkite", "http://buildkite.com/acme/shop/builds/7"),
        ("buildkite", "https://buildkite.com.evil.test/acme/shop/builds/7"),
        ("buildkite", "https://evil.test/acme/shop/builds/7"),
        ("buildkite", "https://me@buildkite.com/acme/shop/builds/7"),
        ("buildkite", "https://buildkite.com/acme/../builds/7"),
        ("buildkite", "https://buildkite.com/acme/shop/builds/7/../8"),
        ("buildkite", "https://[buildkite.com/acme/shop/builds/7"),
        ("buildkite", "https://buildkite.com/acme/shop/builds/" + "7" * 3000),
        ("circleci", "https://circleci.com/gh/acme/shop"),
        ("circleci", "https://circleci.com/pipelines/github/acme/shop/3/workflows/x"),
        ("circleci", "https://circleci.com/gh/acme/../12"),
        ("jenkins", "https://ci.acme.test/job/shop/12/"),
        ("jenkins", "https://ci.acme.test/jenkins/job/shop/"),
        ("jenkins", "https://ci.acme.test/jenkins/job/../12/"),
        ("jenkins", "https://ci.acme.test/jenkins/job/shop/12/stop"),
        ("jenkins", "https://ci.acme.test/jenkins/user/ada/12"),
    ],
)
def test_links_that_mean_no_build_of_the_server(system: str, link: str | None) -> None:
    assert build_of(SERVERS[system], link) is None


def test_servers_are_those_that_have_a_credential() -> None:
    assert ci_servers(lambda _: None) == ()
    assert list(SERVERS) == ["buildkite", "circleci", "jenkins"]
    heads = [(one.api, one.header, one.credential.get_secret_value()) for one in SERVERS.values()]
    assert heads == [
        ("https://api.buildkite.com", "Authorization", "Bearer bkua_1"),
        ("https://circleci.com", "Circle-Token", "CCIPAT_1"),
        ("https://ci.acme.test/jenkins", "Authorization", "Basic Z2F0ZToxMWYw"),
    ]
    assert "bkua_1" not in repr(SERVERS)
    assert isinstance(SERVERS["jenkins"].credential, SecretStr)


def test_a_circleci_server_of_one_s_own() -> None:
    settings = {"CIRCLECI_TOKEN": "x", "CIRCLECI_URL": "https://ci.acme.test", "CIRCLECI_OUTPUTS": "a.test, b.test"}
    (server,) = ci_servers(settings.get)
    assert server.pages == {"ci.acme.test", "app.ci.acme.test"}
    assert server.outputs == {"a.test", "b.test"}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"JENKINS_URL": "http://ci.acme.test"}, "MERGEGATE_JENKINS_URL: 'http://ci.acme.test' is no address"),
        ({"JENKINS_URL": "ci.acme.test"}, "is no address that begins with https://"),
        ({"JENKINS_URL": "https://"}, "is no address"),
        ({"JENKINS_URL": "https://ci.acme.test:port"}, "is no address"),
        ({"JENKINS_URL": "https://gate:11f0@ci.acme.test"}, "give the address alone"),
        ({"JENKINS_URL": "https://ci.acme.test/?a=b"}, "give the address alone"),
        ({"JENKINS_USER": None}, "MERGEGATE_JENKINS_USER: missing; a Jenkins server needs"),
        ({"BUILDKITE_URL": "ftp://x"}, "MERGEGATE_BUILDKITE_URL"),
        ({"CIRCLECI_URL": "http://circleci.com"}, "MERGEGATE_CIRCLECI_URL"),
    ],
)
def test_settings_that_are_wrong_are_named(changed: dict[str, str | None], why: str) -> None:
    with pytest.raises(ValueError, match=why.replace("?", r"\?")):
        ci_servers({**SETTINGS, **changed}.get)


def test_a_server_on_this_machine_may_do_without_encryption() -> None:
    (server,) = ci_servers({"BUILDKITE_TOKEN": "x", "BUILDKITE_URL": "http://127.0.0.1:81/"}.get)
    assert server.api == "http://127.0.0.1:81"
