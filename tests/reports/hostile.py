"""Texts that would run, break or disguise a page that took them as anything but text."""

from __future__ import annotations

HOSTILE = (
    "</script><script>window.hit = 1</script>",
    "<!--<script>",
    "<img src=x onerror='window.hit = 2'>",
    "\"'><svg onload=window.hit=3>",
    "</pre></td></table><h1>forged</h1>",
    "]]>&lt;b&gt; &amp;amp;",
    "\x1b[2J\x1b[31mred\x1b]0;title\x07\x1b]8;;http://x.test\x1b\\link",
    "nul \x00 bell \x07 delete \x7f csi \x9b31m",
    "abc \u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "lone \udc80 \ud800 pair",
    "line\u2028separator\u2029paragraph \ufeff \uffff",
    "${window.hit = 4} {{constructor.constructor('window.hit = 5')()}}",
    "javascript:window.hit=6",
    "__proto__ constructor toString",
)
STORED = tuple(text.encode("utf-8", "replace").decode() for text in HOSTILE)
"""The same as files can hold them."""
TEXT = "\n".join(STORED)
