"""XML settings (pom.xml, phpunit.xml, MSBuild files) as dotted keys; no entities, no outside documents."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from checks.tampering.settings.documents import Unreadable
from checks.tampering.settings.flat import Settings, TooMuch, collect
from checks.tampering.settings.yaml_values import DEEPEST


def xml_settings(text: str) -> Settings:
    """`<a><b c="d">e</b></a>` gives `a.b` and `a.b.@c`; namespaces are left out.

    Raises Unreadable, TooMuch.
    """
    try:
        root = fromstring(text.encode("utf-8", "replace"), forbid_dtd=False, forbid_entities=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise Unreadable(f"not readable as XML: {error}") from error
    return collect(_leaves(root))


def _leaves(root: Element) -> Iterator[tuple[str, str]]:
    waiting = [(_local(root.tag), 1, root)]
    while waiting:
        key, depth, element = waiting.pop()
        if depth > DEEPEST:
            raise TooMuch(f"nested deeper than {DEEPEST} levels")
        for name, value in element.attrib.items():
            yield f"{key}.@{_local(name)}", value
        children = list(element)
        if not children:
            yield key, (element.text or "").strip()
        waiting += [(f"{key}.{_local(child.tag)}", depth + 1, child) for child in reversed(children)]


def _local(name: str) -> str:
    return name.rpartition("}")[2]
