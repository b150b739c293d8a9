"""The commands of the guide to the shell print what the guide shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from .test_code_blocks import ROOT, SHELL_GUIDE, blocks

COMMAND = (
    f'project-platform() {{ {sys.executable} -m project_platform "$@"; }}\npython() {{ {sys.executable} "$@"; }}\n'
)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_commands_of_the_guide_print_what_it_shows(service, workplace):
    """In order, in one shell; standard error is shown after standard output."""
    shown = [block for block in blocks(ROOT / "docs/guides" / SHELL_GUIDE) if block.language == "sh"]
    script = COMMAND + "".join(f"{{ {block.text}}} >out.{n} 2>err.{n}\n" for n, block in enumerate(shown))

    environment = {**os.environ, "HOME": str(workplace)}
    subprocess.run(["bash", "-c", script], cwd=workplace, env=environment, check=False, timeout=120)

    for number, block in enumerate(shown):
        printed = (workplace / f"out.{number}").read_text("utf-8") + (workplace / f"err.{number}").read_text("utf-8")
        assert block.output is None or sorted(printed.splitlines()) == sorted(block.output.splitlines()), block.text
        assert block.output is not None or printed == "", block.text
