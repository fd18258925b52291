"""Bars of linters and type checkers.

One rule that is let off raises the risk; a whole checker made lenient is for a person.

Ruff https://docs.astral.sh/ruff/settings/, mypy https://mypy.readthedocs.io/en/stable/config_file.html, pyright
https://github.com/microsoft/pyright/blob/main/docs/configuration.md, flake8 https://flake8.pycqa.org, ESLint
https://eslint.org/docs/latest/use/configure/rules, TypeScript https://www.typescriptlang.org/tsconfig/, golangci-lint
https://golangci-lint.run/docs/configuration/file/, Clippy through https://doc.rust-lang.org/cargo/reference/manifest.html,
RuboCop https://docs.rubocop.org/rubocop/configuration.html, PHPStan https://phpstan.org/config-reference.
"""

from __future__ import annotations

from checks.tampering.alteration import Weight
from checks.tampering.settings.bars import Bar, BarsOf, Way

PERSON, RISK = Weight.PERSON, Weight.RISK
_KIND = "lint-bar-lowered"
_ANY = r"(?:.*\.)?"

_STRICT = Bar("lint.strict", Way.ON, _KIND, PERSON, "makes a checker less strict")
_LENIENT = Bar("lint.lenient", Way.OFF, _KIND, PERSON, "lets a checker pass over errors")
_LENIENT_RULE = Bar("lint.lenientRule", Way.OFF, _KIND, RISK, "lets a checker pass over some errors")
_SELECTED = Bar("lint.selected", Way.KEEP, _KIND, RISK, "checks fewer rules")
_IGNORED = Bar("lint.ignored", Way.ADD_NONE, _KIND, RISK, "lets rules off")
_UNCHECKED = Bar("lint.unchecked", Way.ADD_NONE, _KIND, RISK, "leaves files out of a checker")
_CEILING = Bar("lint.ceiling", Way.CEILING, _KIND, RISK, "raises a limit of a checker")
_FLOOR = Bar("lint.floor", Way.FLOOR, _KIND, PERSON, "asks for a lower score")
_RULE = Bar("lint.rule", Way.GRADE, _KIND, RISK, "makes a rule less strict")
_MODE = Bar("lint.mode", Way.GRADE, _KIND, PERSON, "makes a checker less strict")

_RUFF = r"(?:tool\.ruff\.)?(?:lint\.)?"
_MYPY = r"(?:tool\.)?mypy(?:-.*)?(?:\.overrides)?\."
_MYPY_STRICT = (
    "strict|disallow_\\w+|check_untyped_defs|no_implicit_optional|strict_\\w+|warn_unused_ignores|warn_return_any|"
    "warn_unreachable|warn_redundant_casts|extra_checks|no_implicit_reexport"
)

_TYPESCRIPT_STRICT = (
    "strict\\w*|noImplicit\\w+|noUnchecked\\w+|noUnused\\w+|noFallthrough\\w+|exactOptional\\w+|noEmitOnError|alwaysStrict|"
    "checkJs|noPropertyAccessFromIndexSignature|useUnknownInCatchVariables"
)

# https://mypy.readthedocs.io/en/stable/existing_code.html#introduce-stricter-options,
# https://www.typescriptlang.org/tsconfig/#strict
IMPLIED_BY_STRICT = frozenset(
    (
        *("warn_unused_configs", "disallow_any_generics", "disallow_subclassing_any", "disallow_untyped_calls"),
        *("disallow_untyped_defs", "disallow_incomplete_defs", "check_untyped_defs", "disallow_untyped_decorators"),
        *("warn_redundant_casts", "warn_unused_ignores", "warn_return_any", "no_implicit_reexport", "strict_equality"),
        *("strict_bytes", "extra_checks", "no_implicit_optional", "strict_optional"),
        *("noImplicitAny", "noImplicitThis", "strictNullChecks", "strictFunctionTypes", "strictBindCallApply"),
        *("strictPropertyInitialization", "strictBuiltinIteratorReturn", "alwaysStrict", "useUnknownInCatchVariables"),
    )
)

LINT = (
    BarsOf(
        r"pyproject\.toml|setup\.cfg|tox\.ini|\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.?pylintrc|\.pylintrc",
        (
            (_RUFF + r"(?:select|extend-select)", _SELECTED),
            (_RUFF + r"(?:ignore|extend-ignore|per-file-ignores\..+|extend-per-file-ignores\..+)", _IGNORED),
            (
                _RUFF + r"(?:exclude|extend-exclude)|tool\.(?:mypy|pyright|black)\.(?:exclude|ignore)|mypy\.exclude",
                _UNCHECKED,
            ),
            (_RUFF + r"(?:mccabe\.max-complexity|pylint\.max-.+)|flake8\.max-complexity", _CEILING),
            (_MYPY + f"({_MYPY_STRICT})", _STRICT),
            (_MYPY + r"(?:ignore_errors|follow_untyped_imports_off)", _LENIENT),
            (_MYPY + r"(?:ignore_missing_imports|allow_\w+)", _LENIENT_RULE),
            (_MYPY + r"(?:disable_error_code)", _IGNORED),
            (r"tool\.pyright\.(typeCheckingMode)", _MODE),
            (r"tool\.pyright\.(report.+)", _RULE),
            (r"flake8\.(?:ignore|extend-ignore|per-file-ignores)", _IGNORED),
            (r"flake8\.(?:select|extend-select)", _SELECTED),
            (r"flake8\.(?:exclude|extend-exclude)", _UNCHECKED),
            (_ANY + r"(?:disable|MESSAGES CONTROL\.disable|messages_control\.disable)", _IGNORED),
            (r"(?:tool\.pylint\.|MASTER\.|MAIN\.|main\.)fail-under", _FLOOR),
        ),
    ),
    BarsOf(
        r"pyrightconfig\.json",
        (
            (r"(typeCheckingMode)", _MODE),
            (r"(strict)", _SELECTED),
            (r"(report.+)", _RULE),
            (r"(?:ignore|exclude)", _UNCHECKED),
        ),
    ),
    BarsOf(
        r"\.eslintrc[\w.]*|eslint\.config\.\w+|package\.json|biome\.jsonc?|\.stylelintrc[\w.]*|\.oxlintrc\.json",
        (
            (r"linter\.rules\.([^.]+\.[^.]+)(?:\.level)?", _RULE),
            (_ANY + r"rules\.([^.]+)", _RULE),
            (_ANY + r"(?:ignorePatterns|ignores|eslintIgnore|files\.ignore)", _UNCHECKED),
            (_ANY + r"(?:extends)", _SELECTED),
            (_ANY + r"(?:linter\.enabled|reportUnusedDisableDirectives)", _STRICT),
        ),
    ),
    BarsOf(
        r"[jt]sconfig[\w.\-]*\.json",
        (
            (
                rf"compilerOptions\.({_TYPESCRIPT_STRICT})",
                _STRICT,
            ),
            (r"compilerOptions\.(?:skipLibCheck|allowUnreachableCode|suppress\w+|allowJs)", _LENIENT_RULE),
            (r"exclude", _UNCHECKED),
        ),
    ),
    BarsOf(
        r"\.golangci\.(?:ya?ml|toml|json)",
        (
            (r"linters\.(?:enable|default)", _SELECTED),
            (r"linters\.(?:disable)|(?:issues|linters\.exclusions)\.(?:exclude\b.*|rules\.linters|presets)", _IGNORED),
            (r"(?:issues|linters\.exclusions)\.(?:exclude-(?:dirs|files)|paths)", _UNCHECKED),
            (r"linters\.disable-all", _LENIENT),
            (r"issues\.(?:max-issues-per-linter|max-same-issues)", _CEILING),
            (r"(?:run\.)?issues-exit-code", _FLOOR),
        ),
    ),
    BarsOf(
        r"Cargo\.toml|clippy\.toml|\.clippy\.toml",
        (
            (r"(?:workspace\.)?lints\.([^.]+\.[^.]+)(?:\.level)?", _RULE),
            (r"(?:cognitive-complexity-threshold|too-many-.+|type-complexity-threshold)", _CEILING),
        ),
    ),
    BarsOf(
        r"\.rubocop[\w.\-]*\.yml",
        (
            (r"([\w/]+)\.Enabled", Bar("rubocop.enabled", Way.ON, _KIND, RISK, "lets a rule off")),
            (r"([\w/]+)\.Exclude", _UNCHECKED),
            (r"([\w/]+)\.Max", _CEILING),
        ),
    ),
    BarsOf(
        r"phpstan[\w.\-]*\.neon(?:\.dist)?|psalm\.xml(?:\.dist)?",
        (
            (r"parameters\.level", Bar("phpstan.level", Way.FLOOR, _KIND, PERSON, "makes a checker less strict")),
            (r"psalm\.@errorLevel", Bar("psalm.level", Way.CEILING, _KIND, PERSON, "makes a checker less strict")),
            (r"parameters\.(?:ignoreErrors|excludePaths).*", _IGNORED),
        ),
    ),
    BarsOf(
        r"[\w.\-]*\.(?:csproj|fsproj|props|targets)",
        (
            (_ANY + r"(?:TreatWarningsAsErrors|EnforceCodeStyleInBuild|Nullable)", _STRICT),
            (_ANY + r"(?:NoWarn|WarningsNotAsErrors)", _IGNORED),
        ),
    ),
    BarsOf(
        r"pom\.xml|[\w.\-]*\.gradle(?:\.kts)?",
        (
            (_ANY + r"(?:failOnViolation|failsOnError|failOnError|allWarningsAsErrors|Werror)", _STRICT),
            (_ANY + r"(?:abortOnError)", _STRICT),
            (_ANY + r"(?:maxWarnings|maxErrors|maxAllowedViolations)", _CEILING),
        ),
    ),
)
