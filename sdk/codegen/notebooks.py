"""Runs the notebooks in `docs/notebooks`, and writes each as a page of the documentation.

`python -m codegen.notebooks` runs them and stores their outputs; `python -m codegen` writes the pages from the stored outputs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs/notebooks"
_HEADER: Final = "<!-- Generated from {name}.ipynb by `python -m codegen`. Do not edit. -->\n"
# A terminal's colours, and what differs in each run.
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_STYLE: Final = re.compile(r"<style[^>]*>.*?</style>\s*", re.DOTALL)
_TIMEOUT: Final = 120  # seconds for a cell


def execute(path: Path) -> dict[str, Any]:
    """Run a notebook in a kernel, and return it with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed that is not marked with `raises-exception`.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # it has no types
    NotebookClient(notebook, timeout=_TIMEOUT, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times
    content: dict[str, Any] = notebook
    return content


def pages() -> dict[Path, str]:
    """Return the pages of the notebooks, with their contents."""
    return {path.with_suffix(".md"): page(path) for path in sorted(FOLDER.glob("*.ipynb"))}


def page(path: Path) -> str:
    """Return a notebook with its stored outputs as Markdown."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    parts = [_HEADER.format(name=path.stem)]
    styles: set[str] = set()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(_with_lead(source) if len(parts) == 1 else source)
            continue
        # Not `python`: the notebook is run as a whole, and its page is not.
        parts.append(f"```py\n{source}\n```")
        parts += [shown for output in cell["outputs"] if (shown := _output(output, styles))]
    return "\n\n".join(parts) + "\n"


def _with_lead(source: str) -> str:
    """Return the first cell with its first paragraph marked as the lead of the page."""
    title, lead, *rest = source.split("\n\n")
    return "\n\n".join([title, f"{lead}\n{{ .lead }}", *rest])


def _output(output: dict[str, Any], styles: set[str]) -> str:
    """Return an output as Markdown or HTML."""
    if output["output_type"] == "stream":
        return _text("".join(output["text"]))
    if output["output_type"] == "error":
        return _text(_COLOURS.sub("", "\n".join(output["traceback"])))
    data: dict[str, Any] = output["data"]
    if "text/html" in data:
        return _html("".join(data["text/html"]), styles)
    if "image/png" in data:
        encoded = "".join(data["image/png"]).replace("\n", "")
        return f'<img alt="Plot" src="data:image/png;base64,{encoded}">'
    return _text("".join(data["text/plain"]))


def _text(text: str) -> str:
    # Indented, since `text` blocks after code are the output of a block that the tests run.
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").splitlines())


def _html(html: str, styles: set[str]) -> str:
    """Return HTML in one block, with each style once a page."""
    kept = [style for style in _STYLE.findall(html) if style not in styles]
    styles.update(kept)
    body = _STYLE.sub("", html)
    return f"<div>{''.join(_without_blank_lines(''.join(kept) + body))}</div>"


def _without_blank_lines(text: str) -> Iterator[str]:
    # A blank line ends a block of HTML in Markdown.
    return (f"{line}\n" for line in text.splitlines() if line.strip())


def main() -> int:
    """Run the notebooks, store their outputs, and write their pages."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        path.write_text(json.dumps(execute(path), ensure_ascii=False, indent=1) + "\n", "utf-8")
    for path, text in pages().items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
