"""A secret in memory, which no message, log or traceback shows by accident.

pydantic has such a type too. This one is that type without the library, whose import takes 9 MB that the proxy's
process does not need otherwise; models of pydantic may have fields of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

HIDDEN = "**********"


def secrets_in(text: str) -> tuple[SecretStr, ...]:
    """Secrets that are separated by blanks, lines or commas."""
    return tuple(SecretStr(part) for part in text.replace(",", " ").split())


def keys_in(text: str) -> tuple[SecretStr, ...]:
    """The private keys in PEM form that stand in a text, whatever is between them."""
    blocks = [block for block in text.split("-----BEGIN") if "-----END" in block]
    return tuple(SecretStr("-----BEGIN" + block.rstrip() + "\n") for block in blocks)


class SecretStr:
    """Shown as asterisks; `get_secret_value` gives the text."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        return self._value

    def __str__(self) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return f"SecretStr('{HIDDEN}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretStr) and self.get_secret_value() == other.get_secret_value()

    def __hash__(self) -> int:
        return hash(self.get_secret_value())

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        """Made from a text; in JSON it is hidden like everywhere else."""
        from pydantic_core import core_schema

        made = core_schema.no_info_after_validator_function(cls, core_schema.str_schema())
        return core_schema.json_or_python_schema(
            json_schema=made,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(cls), made]),
            serialization=core_schema.to_string_ser_schema(),
        )


class NewestSecret(SecretStr):
    """The first of some secrets, which may be other ones later: whoever keeps this sees each change."""

    __slots__ = ("_secrets",)

    def __init__(self, secrets: Sequence[SecretStr]) -> None:
        self._secrets = secrets

    def get_secret_value(self) -> str:
        return self._secrets[0].get_secret_value()
