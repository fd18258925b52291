"""Run mutants of `checks` and `policies`, print the score; exit 1 below the bar. Settings: environment variables.

By default a thousand mutants are taken by chance, the same ones every time (`SEED=2`: others), because all of them take
hours; the bar is then held against the lower end of the score's 95 % confidence interval, not against the score.
`SAMPLE=3000` takes more, `SAMPLE=all` every one. `MODULE=checks/ci.py` (several: separated by spaces) takes only these
files. `WORKERS=1` uses so many processes (default: all cores).
"""

from __future__ import annotations

import math
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import get_mutant_name

PACKAGES = ("checks", "policies")
BAR = 85.0
USUAL_SAMPLE = 1_000
NORMAL_QUANTILE = 1.96  # of 97.5 %
DETECTED = ("killed", "timeout")


def main() -> int:
    """The process's exit code: 0 at the bar or above, 1 below it, 2 if the mutants could not be run."""
    os.chdir(Path(__file__).parents[2])
    files = _files(os.environ.get("MODULE", "").split())
    names = [name for file in files for name in _names(file)]
    everything = os.environ.get("SAMPLE") == "all" or bool(os.environ.get("MODULE") and not os.environ.get("SAMPLE"))
    sample = len(names) if everything else _number("SAMPLE", USUAL_SAMPLE)
    chosen = _choose(names, sample, _number("SEED", 1))
    if not chosen:
        sys.exit("There is nothing to mutate: mutmut changes functions only, and none was chosen.")
    print(f"==> {len(chosen)} of {len(names)} mutants in {len(files)} modules; the tests run once first", flush=True)
    shutil.rmtree("mutants", ignore_errors=True)
    if _run_mutmut(chosen if sample < len(names) else [_pattern(file) for file in files]):
        return 2
    return _judge(_counts(files, set(chosen)), whole=len(chosen) == len(names))


def _number(setting: str, otherwise: int) -> int:
    text = os.environ.get(setting) or str(otherwise)
    if not text.isdecimal():
        sys.exit(f"{setting} is a number, not {text!r}.")
    return int(text)


def _files(wanted: Sequence[str]) -> list[Path]:
    every = sorted(file for package in PACKAGES for file in Path(package).rglob("*.py"))
    unknown = sorted({*wanted} - {str(file) for file in every})
    if unknown:
        sys.exit(f"No such module: {', '.join(unknown)}. MODULE takes paths below {' and '.join(PACKAGES)}.")
    return [file for file in every if not wanted or str(file) in wanted]


def _names(file: Path) -> list[str]:
    mutated = mutate_file_contents(str(file), file.read_text("utf-8"))
    return [get_mutant_name(file, name) for name in mutated.mutant_names]


def _pattern(file: Path) -> str:
    """All mutants of one module: their own names begin with x, no module's does."""
    return get_mutant_name(file, "x*")


def _choose(names: Sequence[str], size: int, seed: int) -> list[str]:
    return sorted(random.Random(seed).sample(names, min(size, len(names))))


def _run_mutmut(names: Iterable[str]) -> int:
    workers = os.environ.get("WORKERS") or str(os.cpu_count() or 1)
    mutmut = Path(sys.executable).with_name("mutmut")
    return subprocess.run([mutmut, "run", "--max-children", workers, *names], check=False).returncode


def _counts(files: Iterable[Path], chosen: set[str]) -> dict[Path, Counter[str]]:
    return {file: counts for file in files if (counts := _count(file, chosen))}


def _count(file: Path, chosen: set[str]) -> Counter[str]:
    data = SourceFileMutationData(path=file)
    data.load()
    return Counter(status_by_exit_code[code] for name, code in data.exit_code_by_key.items() if name in chosen)


def _judge(counts: dict[Path, Counter[str]], *, whole: bool) -> int:
    print(f"\n{'module':<30}{'mutants':>9}{'killed':>9}{'timeout':>9}{'survived':>9}{'other':>9}{'score':>9}")
    for file, one in sorted(counts.items(), key=lambda item: _score(item[1])):
        print(_row(str(file), one))
    total = sum(counts.values(), Counter[str]())
    print(_row("all", total))
    held = _score(total) if whole else _lower_bound(total)
    what = "The score" if whole else "The lower end of the score's 95 % confidence interval"
    print(f"{what} is {held:.1f} %, the bar {BAR:.0f} %. Survivors: mutmut results; what one changes: mutmut show NAME")
    return 0 if held >= BAR else 1


def _lower_bound(one: Counter[str]) -> float:
    """Percent, by Wilson's interval for a proportion: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927), 209-212."""
    total, part, z = one.total(), _score(one) / 100, NORMAL_QUANTILE
    if not total:
        return 0.0
    spread = z * math.sqrt(part * (1 - part) / total + z * z / (4 * total * total))
    return 100 * (part + z * z / (2 * total) - spread) / (1 + z * z / total)


def _row(name: str, one: Counter[str]) -> str:
    known = [one["killed"], one["timeout"], one["survived"]]
    cells = [one.total(), *known, one.total() - sum(known)]
    return f"{name:<30}{''.join(f'{cell:>9}' for cell in cells)}{_score(one):>8.1f}%"


def _score(one: Counter[str]) -> float:
    """Percent of the mutants that a test noticed; one that no test reaches, or that ended oddly, counts against."""
    return 100 * sum(one[status] for status in DETECTED) / (one.total() or 1)


if __name__ == "__main__":
    sys.exit(main())
