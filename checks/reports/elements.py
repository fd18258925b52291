"""XML as a stream of elements, without what makes XML dangerous.

A document type is refused, and with it every entity; depth is limited; text is not kept. The bytes are handed over at
once, because feeding an attribute of megabytes piece by piece takes quadratic time in older versions of expat
(CVE-2023-52425). A tree of the whole file, as junitparser needs it, takes ten times as long and is not needed to count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DefusedXmlException
from defusedxml.expatreader import create_parser

from checks.reports.report import ReportFault

MOST_DEPTH = 200


class Elements(Protocol):
    """What is told of elements, in the order of the document."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, tag: str) -> None: ...


def read_elements(data: bytes, begin: Callable[[str], Elements]) -> None:
    """Tell every element of `data`, the root first, to what `begin` gives for the root's tag.

    Raises ReportFault when the document is cut, malformed, too deep or has a document type.
    """
    parser = create_parser(forbid_dtd=True)
    parser.setContentHandler(_Walk(begin))
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException as refused:
        raise ReportFault("it has a document type, which a report needs not and an attack does") from refused
    except SAXParseException as broken:
        raise ReportFault(f"line {broken.getLineNumber()}: {broken.getMessage()}") from broken
    except (SAXException, LookupError, ValueError) as broken:
        raise broken if isinstance(broken, ReportFault) else ReportFault(str(broken)) from broken


class _Walk(ContentHandler):
    def __init__(self, begin: Callable[[str], Elements]) -> None:
        super().__init__()
        self._begin = begin
        self._elements: Elements | None = None
        self._depth = 0

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the interface's name
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ReportFault(f"its elements are nested more than {MOST_DEPTH} deep")
        if self._elements is None:
            self._elements = self._begin(name)
        self._elements.start(name, dict(attrs.items()))

    def endElement(self, name: str) -> None:  # noqa: N802 - the interface's name
        self._depth -= 1
        assert self._elements is not None
        self._elements.end(name)
