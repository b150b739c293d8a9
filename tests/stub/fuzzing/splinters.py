"""What parsers stumble over."""

from __future__ import annotations

from project_platform_stub.http.messages import MAX_BODY_BYTES

from .known import ZONES

# In a path or a query, in a text, in a body, and whole bodies.
SPLINTERS = (
    *(b"%", b"%2", b"%ZZ", b"%2F", b"%2f", b"%00", b"%0A", b"%0d", b"%ff", b"%C0%AF", b"%ED%A0%80", b"%25", b"%u0041"),
    *(
        b"/",
        b"//",
        b"/..",
        b"/.",
        b"\\",
        b";a=b",
        b"?",
        b"#",
        b"&",
        b"&&",
        b"=",
        b"+",
        b"\x00",
        b"\x80",
        b"\xc3\xa9",
        b" ",
    ),
)
TEXTS = (
    *(
        "",
        " ",
        "\x00",
        "\n",
        "é",
        "e\u0301",
        "🌾",
        "\u202e",
        "ß" * 41,
        "a" * 1001,
        "{{client}}",
        "../..",
        "%2F",
        "null",
        "-1",
    ),
    *(
        "2026-11-10T09:00:00",
        "2026-11-10T09:00:00.123456789Z",
        "24:00",
        "\u0662\u0660\u0662\u0666-11-10T09:00:00Z",
        *ZONES,
    ),
)
TOKENS_IN_JSON = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\\udc00", b"\\x", b"\x00", b"\xff"),
    *(b"\xc3", b"\xef\xbb\xbf", b"null", b"NaN", b"-Infinity", b"1e400", b"1e999999999999999999999", b"-0", b"0.10"),
    *(b"01", b"1" * 5000, b"//", b"/**/", b"'a'", b"\n", b'"a":1,"a":2,', b"[" * 99, b"[" * 101, b'{"a":' * 101),
)
BODIES = (
    *(b"", b"null", b"[]", b'""', b"0", b"{}", b" {}\n", b"{}{}", b"\xef\xbb\xbf{}", b"a=1&b=2", "{}".encode("utf-16")),
    *(b"[" * 100_000, b'{"a":' * 50_000 + b"1" + b"}" * 50_000, b'{"a":"' + b"x" * MAX_BODY_BYTES + b'"}'),
    *(b" " * (MAX_BODY_BYTES - 2) + b"{}", b" " * (MAX_BODY_BYTES - 1) + b"{}", b"\x1f\x8b\x08\x00"),
)
MEDIA_TYPES = (
    *("application/json", "Application/JSON; charset=utf-8", "application/json;charset=latin-1", "application/jsonx"),
    *(
        "text/plain",
        "",
        ";",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "\x00",
        "é",
        "application/json, a",
    ),
)
METHODS = (
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "get",
    "",
    "G\x00T",
    "É",
    "X" * 300,
)
HEADERS = (
    "content-encoding",
    "transfer-encoding",
    "x-http-method-override",
    "host",
    "cookie",
    "content-length",
    "\x00",
)
