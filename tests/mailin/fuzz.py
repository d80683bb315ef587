"""A byte fuzzer with a time limit: `python -m tests.mailin.fuzz --seconds 20`.

Mails of all programs, of the corpus if there is one, and of ours are cut, doubled, spliced and sprinkled with bytes
that mean something to a parser. Each must be read as a Message or a Discard, in time. A mail that is not is left in a
file, and its seed is printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from pbm.mailin import Envelope
from tests.mailin import clients
from tests.mailin.build import ENVELOPE, raw
from tests.mailin.test_corpus import CORPUS
from tests.mailin.test_fuzz import check

SLOWEST_SECONDS = 2.0
"""Limit of processor time for reading one mail twice; the largest mails that are read take a tenth of it."""
TOKENS = (
    b"\n", b"\r", b"\r\n\r\n", b"\0", b"> ", b"=\n", b"=?utf-8?q?", b"=?big5?b?", b"?=", b"--b\n", b"--b--\n", b"((",
    b"Content-Type: multipart/mixed; boundary=b\n", b"Content-Type: text/html; charset=utf-7\n", b"From: ", b"<", b"</",
    b"Content-Transfer-Encoding: base64\n", b"begin 644 a\n", b"<blockquote>", b"<table>", b"&#", b"##- ", b"-- \n",
    b"Auto-Submitted: no\n", b"message/rfc822", b"format=flowed; delsp=yes", b"\xff\xfe", b"\xe2\x80\x8f",
    b"On 1:1 wrote:\n", b"To: pbm+x@", b'"',
)  # fmt: skip
ENVELOPES = (ENVELOPE, Envelope(), Envelope("", ("bounce+x@play.example.org",)))


def seeds() -> list[bytes]:
    """The mails to be changed."""
    answers = [raw(text) for _, text in list(clients.plain("F6"))[::7]]
    answers += [raw(text, kind="text/html; charset=utf-8") for _, text in list(clients.html("F6"))[::7]]
    return answers + [path.read_bytes() for path in sorted(CORPUS.glob("*/*")) if path.suffix in (".eml", ".txt")]


def mutated(chance: random.Random, mails: list[bytes]) -> bytes:
    mail = chance.choice(mails)
    for _ in range(chance.randint(1, 8)):
        at, end = sorted(chance.randrange(len(mail) + 1) for _ in range(2))
        end = min(end, at + chance.choice((0, 1, 4, 40, 4000)))
        other = chance.choice(mails)
        start = chance.randrange(len(other) + 1)
        piece = chance.choice(
            (
                b"",
                chance.choice(TOKENS),
                chance.choice(TOKENS) * chance.choice((2, 50, 3000)),
                chance.randbytes(chance.randint(1, 9)),
                mail[at:end] * 2,
                other[start : start + chance.choice((20, 500, 5000))],
            )
        )
        mail = (mail[:at] + piece + mail[end:])[:1_000_000]
    return mail


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    wanted = parser.parse_args()
    mails, ends_at = seeds(), time.monotonic() + wanted.seconds
    number, slowest = wanted.seed, 0.0
    while time.monotonic() < ends_at:
        chance = random.Random(number)
        mail = mutated(chance, mails)
        started = time.process_time()
        try:
            check(mail, chance.choice(ENVELOPES))
            slowest = max(slowest, time.process_time() - started)
            assert slowest < SLOWEST_SECONDS, f"{slowest:.1f} s"
        except Exception as error:
            left = Path(f"fuzzed-{number}.eml")
            left.write_bytes(mail)
            print(f"seed {number}: {type(error).__name__}: {error}; the mail is in {left}")
            raise
        number += 1
    print(
        f"{number - wanted.seed} mails, seeds {wanted.seed} to {number - 1}: all read; the slowest took {slowest:.2f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
