"""Which words may be passwords, and which are taken for one."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.core.credentials import check_password
from pbm.core.passwords import MAX_LENGTH, Hasher
from pbm.domain.errors import BadArguments
from tests.conversation import House


@pytest.fixture
def passwords() -> Iterator[Hasher]:
    pool = Hasher()
    yield pool
    pool.close()


def test_all_of_a_password_counts(passwords: Hasher) -> None:
    longest = "x" * MAX_LENGTH
    hashed = passwords.hash(longest)
    pairs = [(longest, hashed), (longest + "y", hashed), (longest[:-1], hashed), (longest, ""), (longest, "no hash")]
    assert passwords.verify(pairs) == [True, False, False, False, False]


@pytest.mark.parametrize("word", ["swap", "Cross", "RESIGN", "password", "qmove", "crossgeo"])
def test_a_word_that_cannot_be_hidden_is_no_password(word: str, house: House) -> None:
    with pytest.raises(BadArguments, match=r"^That is a word of the server"):
        check_password(word)
    house.player("bob")
    before = house.dump()
    (got,) = house.send("alice", f"signup alice {word}")
    assert "word of the server" in " ".join(got.body.split())
    (got,) = house.send("bob", f"change password bob bobpass {word}")
    assert "word of the server" in " ".join(got.body.split())
    assert house.dump() == before


@pytest.mark.parametrize(
    "word", ["-secret", "--secret", "—secret", "[secret", "<secret>", "*secret*", "secret**", '"secret"', "-x4-Q_pass"]
)
def test_a_word_that_commands_would_misread_is_no_password(word: str, house: House) -> None:
    with pytest.raises(BadArguments, match="Commands would misread that"):
        check_password(word)
    house.player("bob")
    house.send("bob", "reset password bob")
    (got,) = house.answer("bob", word, mail=1)
    assert "choose a password that begins and ends with a letter" in " ".join(got.body.split())
    house.answer("bob", "Sesame1")
    (got,) = house.send("bob", "set bob Sesame1 broadcasts")
    assert got["Subject"] == "pbm: your settings"


@pytest.mark.parametrize("word", ["sec-ret", "secret-", "1secret", "secret!", "secret.", "#secret", "münchen"])
def test_a_password_is_read_wherever_it_stands(word: str, house: House) -> None:
    house.player("bob")
    house.send("bob", "reset password bob")
    house.answer("bob", word, mail=1)
    for line in (f"set bob {word} broadcasts", f"change password bob {word} Sesame1", "set bob Sesame1 broadcasts"):
        assert not any(got.refuses for got in house.send("bob", line)), line
    assert not any(got.refuses for got in house.send("bob", f"change password bob Sesame1 {word}"))
    assert house.send("bob", f"revoke bob {word}")[0]["Subject"] == "pbm: old emails are void"


GIVEN_BACK = """
from pathlib import Path
from pbm.server import Service
from pbm.store import Store

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

service = Service(Store("sqlite://"))
passwords, before = service.tools.passwords, resident()
for _ in range(3):
    passwords.hash_all(["one word", "another", "a third"])
print(resident() - before)
"""


@pytest.mark.servers
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps it otherwise")
def test_what_a_password_takes_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", GIVEN_BACK], capture_output=True, text=True, check=True)
    assert float(told.stdout.splitlines()[-1]) < 10  # megabytes; each takes 19
