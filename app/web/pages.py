"""How every page is written: templates that escape what they are given, and headers under which nothing else runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup, escape

from app.ages import ago
from policies.escape import clean, plain_address

FOLDER = Path(__file__).with_name("templates")
STYLE, SCRIPT = "/style.css", "/board.js"
# No script at all, whatever a pull request managed to write into a page; on the board one file of our own.
# https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "private, no-store",
}
PUBLIC = {"cache-control": "public, max-age=300", "x-content-type-options": "nosniff"}


class Pages:
    """The templates, compiled once."""

    def __init__(self) -> None:
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(FOLDER),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {"shown": clean, "prose": prose, "address": plain_address, "ago": ago}
        self._style, self._script = (FOLDER / "style.css").read_bytes(), (FOLDER / "board.js").read_bytes()

    def page(
        self, template: str, status: int = 200, *, form_action: str = "", script: bool = False, **values: Any
    ) -> Response:
        """`form_action` is one more origin to which a form of the page may go; `script` lets our own one run."""
        text = self._environment.get_template(template).render(**values)
        policy = HEADERS["content-security-policy"]
        if form_action:
            policy = policy.replace("form-action 'self'", f"form-action 'self' {form_action}")
        if script:
            policy += "; script-src 'self'; connect-src 'self'"
        return HTMLResponse(text, status, {**HEADERS, "content-security-policy": policy})

    def message(self, heading: str, words: str, status: int = 200, language: str = "en") -> Response:
        """A page of one sentence and what to do next."""
        return self.page("message.html", status, heading=heading, words=words, language=language)

    def not_found(self) -> Response:
        """The same for what is not there and for what may not be seen."""
        return self.message(
            "There is nothing here for you.",
            "Check the address, and that you may read the repository on GitHub and the App is installed on it.",
            404,
        )

    def router(self) -> APIRouter:
        router = APIRouter()

        @router.get(STYLE)
        async def style() -> Response:
            return Response(self._style, media_type="text/css", headers=PUBLIC)

        @router.get(SCRIPT)
        async def script() -> Response:
            return Response(self._script, media_type="text/javascript", headers=PUBLIC)

        return router


def prose(text: str, limit: int) -> Markup:
    """A sentence on one line; what stands in backticks becomes code, everything is escaped."""
    parts = clean(text, limit).split("`")
    code = Markup("<code>{}</code>")
    return Markup("").join(
        code.format(part) if index % 2 and index < len(parts) - 1 else escape(part) for index, part in enumerate(parts)
    )
