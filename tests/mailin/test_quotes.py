"""Texts before quotes are looked for: lines of any length."""

from __future__ import annotations

from pbm.mailin.quotes import MAX_LINE, bounded


def test_a_long_line_is_broken_and_not_cut() -> None:
    """Some programs leave it to the reader's to break lines; a plan has thousands of characters on one."""
    plan = " ".join(f"if {letter}{number}: C3;" for letter in "ABCDEFGH" for number in range(1, 10))
    broken = bounded(f"F6\n{plan}\nBye")
    assert broken.split() == f"F6 {plan} Bye".split()
    assert max(map(len, broken.split("\n"))) <= MAX_LINE
    assert bounded("> " + plan).split("\n")[1:] == []
