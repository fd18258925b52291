"""The little made-up Python projects that `make.py` runs: file name to text, by project."""

from __future__ import annotations

PYTEST = {
    "test_green.py": "def test_one(): pass\ndef test_two(): pass\n",
    "test_more.py": "import pytest\ndef test_three(): pass\n@pytest.mark.skip(reason='later')\ndef test_four(): pass\n",
    "test_red.py": """import pytest
def test_passes(): pass
def test_fails(): assert 1 == 2
@pytest.fixture
def broken(): raise RuntimeError("broken")
def test_breaks(broken): pass
@pytest.mark.skip(reason="later")
def test_skipped(): pass
""",
    "flaky/test_flaky.py": """runs = 0
def test_flaky():
    global runs
    runs += 1
    assert runs == 2
def test_steady(): pass
""",
    "flaky/test_hopeless.py": "def test_hopeless(): assert False\n",
    "slow/test_slow.py": "import time\ndef test_quick(): pass\ndef test_slow(): time.sleep(30)\n",
    "exits/test_exits.py": "import os\ndef test_one(): pass\ndef test_two(): os._exit(0)\n",
    "subtests/test_subtests.py": """def test_all_pass(subtests):
    for number in range(3):
        with subtests.test(number=number):
            assert number < 3
def test_plain(): pass
""",
    "covered/test_code.py": "from covered_code import used\ndef test_used(): assert used() == 1\n",
    "covered/covered_code.py": "def used():\n    return 1\n\n\ndef unused():\n    return 2\n",
}
TOX = {
    "tests/test_demo.py": """import os
def test_passes(): pass
def test_environment(): assert os.environ["DEMO"] != "red"
""",
    "tox.ini": """[tox]
env_list = one, two
skipsdist = true
[testenv]
deps = pytest
set_env =
    one: DEMO = green
    two: DEMO = {env:SECOND:green}
commands = python -m pytest -p no:cacheprovider --junit-xml=report-{env_name}.xml tests
""",
    "noxfile.py": """import os
import nox
@nox.session(venv_backend="none")
@nox.parametrize("demo", ["green", "second"])
def tests(session, demo):
    value = os.environ.get("SECOND", "green") if demo == "second" else demo
    report = f"--junit-xml=report-{demo}.xml"
    session.run("python", "-m", "pytest", "-p", "no:cacheprovider", report, "tests", env={"DEMO": value})
""",
}
HATCH = {
    "tests/test_demo.py": "def test_passes(): pass\ndef test_too(): pass\n",
    "pyproject.toml": """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "demo"
version = "1"
[tool.hatch.envs.default]
skip-install = true
dependencies = ["pytest"]
""",
}
UNITTEST = {
    "test_demo.py": """import unittest
class DemoTest(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.assertEqual(1, 2)
    def test_breaks(self): raise RuntimeError("broken")
    @unittest.skip("later")
    def test_skipped(self): pass
""",
    "test_green.py": """import unittest
class GreenTest(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): pass
""",
}
DJANGO = {
    "manage.py": """import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
from django.core.management import execute_from_command_line
execute_from_command_line(sys.argv)
""",
    "settings.py": """import os
SECRET_KEY = "made up"
INSTALLED_APPS = ["shop"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
TEST_RUNNER = os.environ.get("RUNNER", "django.test.runner.DiscoverRunner")
TEST_OUTPUT_DIR = "."
TEST_OUTPUT_FILE_NAME = "report.xml"
""",
    "shop/__init__.py": "",
    "shop/tests.py": """from django.test import TestCase
class ShopTest(TestCase):
    def test_one(self): pass
    def test_two(self): pass
class OtherTest(TestCase):
    def test_three(self): pass
    def test_red(self):
        import os
        self.assertEqual(os.environ.get("RED", "0"), "0")
""",
}
