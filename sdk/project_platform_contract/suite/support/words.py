"""Texts that a language, a format or a framework takes for something else than a text.

`WORDS` matter as a whole value, such as `"0"`, which is false in PHP. `SYNTAX` matters anywhere in a text, so `PASSAGES` has all of it
in a few texts. None has an at sign, which the fuse reads as a part of an address.
"""

from __future__ import annotations

from typing import Final

FALSE_WORDS: Final = ("0", "false", "null", "undefined", "NaN", "None", "no", "off", "[]", "{}", "-", "0.0", "00")
"""Texts that some languages and libraries take for false, for nothing, or for an empty value."""

WORDS: Final = (
    *FALSE_WORDS,
    *("FALSE", "NULL", "nil", "N/A", "~", r"\N", "''", '""', "[object Object]", "Infinity", "True", "on", "y"),
    *("1", "-0", "+1", "01", "1.0", "1e5", "0x10", "1_000", "1,50", " 0", "0\t", ".", "..", "/", "*", "%", "#", "&"),
    *("[1, 2]", '{"a": 1}', '"quoted"', "2026-11", "constructor", "__proto__", "toString"),
)
"""Texts that are converted, dropped or refused if they are the whole value; the longest has less than 40 characters."""

SYNTAX: Final = (
    *("{{x}}", "{{ x | y }}", "{{{x}}}", "{% x %}", "${x}", "$x", "$1", r"\1", "#{x}", "<%= x %>", "{0}", "{x}", "{}"),
    *("%s", "%d", "%(x)s", "%%", ":x", "[x]", "[[x]]", "((x))", "<x>", "</b>", "<b>x</b>", "<br/>", "<!-- x -->"),
    *("&amp;", "&lt;", "&nbsp;", "&#39;", "&x;", "&", "<", ">", "<![CDATA[x]]>", "<?php x ?>", "javascript:x"),
    *(r"\n", r"\t", r"\u00e9", r"\x41", r"\\", r"\"", r"\/", "\\", "\n", "\r\n", "\t", "\u000b", "\u000c"),
    *('"', "'", "''", "`x`", "\u201cx\u201d", "\u00abx\u00bb", "x's", '"x" "y"'),
    *("' OR '1'='1", "; DROP TABLE x; --", "/* x */", "-- x", "LIKE '%x_'", "%", "_"),
    *(
        "../../x",
        r"..\x",
        r"C:\x\y",
        "/etc/x",
        "~/x",
        "file:///x",
        "//x",
        "x/",
        "a//b",
        "a?b=c&d#e",
        "%2e%2e%2f",
        "%00",
    ),
    *("*x*", "**x**", "__x__", "~~x~~", "# x", "- x", "> x", "![x](y)", "[x](y)", "---", "...", "(c)", "(tm)", "->"),
    *(
        "=",
        ";",
        "$",
        ":",
        "|",
        "?",
        "none",
        "False",
        "0b1",
        "09:00",
        "1d",
        ":-)",
        ":smile:",
        "#x",
        "1/2",
        "--",
        "1 000",
        "  ",
        "=1+1",
        "+1",
        "|x|",
        "x;y",
        "x,y",
        "^x$",
        ".*",
        "$(x)",
        "$$",
    ),
)
"""Text that template engines, formatters, markup, databases, shells, paths and editors replace."""

_PASSAGE: Final = 20  # Number of parts in a passage.

PASSAGES: Final = tuple(
    f"a {' b '.join(SYNTAX[start : start + _PASSAGE])} c" for start in range(0, len(SYNTAX), _PASSAGE)
)
"""All of `SYNTAX`, within a few texts."""
