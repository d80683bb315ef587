"""Followers: what they read, what they write, and what nobody but its owner ever sees."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

import pytest

from pbm.domain.configuration import Limits
from pbm.server import Settings
from tests.conversation import ROBOT, Got, House, address_of

FORMS = ("text", "html", "both")


def addressees(mails: list[Got]) -> list[str]:
    return [got.address for got in mails]


def everything(got: Got) -> Iterator[str]:
    """The mail as it is sent, and each of its parts decoded: headers, text, HTML, the part for programs."""
    yield got.raw.decode("ascii")
    for part in got.parsed.walk():
        yield from (f"{name}: {value}" for name, value in part.items())
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            yield payload.decode("utf-8", "replace")


@pytest.fixture(params=FORMS)
def watched(request: pytest.FixtureRequest, house: House) -> House:
    """alice and bob play on 101; carol and dave follow it, dave as a follower of alice."""
    for userid in ("alice", "bob", "carol", "dave", "erin"):
        house.player(userid, request.param)
    return house.lived(watch)


def watch(house: House) -> None:
    house.game("cross -size=3 alice bob", ["C3"])
    house.send("carol", "follow carol carolpass 101")
    house.send("dave", "follow dave davepass alice")


def test_who_follows_in_several_ways_gets_each_mail_once(watched: House) -> None:
    watched.send("dave", "follow dave davepass bob")
    watched.send("dave", "follow dave davepass cross")
    told = watched.answer("bob", "B2", 101)
    assert sorted(addressees(told)) == sorted(map(address_of, ("alice", "bob", "carol", "dave")))


def test_a_player_who_is_followed_is_so_on_boards_to_come(watched: House) -> None:
    told = watched.send("alice", "loops challenge alice erin")
    assert address_of("dave") in addressees(told)
    (got,) = watched.answer("dave", "unfollow alice", 102, vouched=True)
    assert "You do not follow alice any more." in got.body
    assert address_of("dave") not in addressees(watched.send("alice", "loops challenge alice erin"))


def test_who_is_blocked_follows_no_more(watched: House) -> None:
    watched.send("alice", "block alice alicepass dave")
    assert address_of("dave") not in addressees(watched.answer("bob", "B2", 101))
    (got,) = watched.send("dave", "follow dave davepass alice")
    assert got.refuses


def test_one_click_ends_following_a_player(watched: House) -> None:
    (got,) = [got for got in watched.answer("bob", "B2", 101) if got.address == address_of("dave")]
    link = re.search(r"<mailto:([^?]+)\?subject=([^>]+)>", got["List-Unsubscribe"])
    assert link is not None
    (told,) = watched.send("dave", link[2].replace("%20", " "), to=link[1])
    assert "You do not follow alice any more." in told.body


# Many


@pytest.fixture
def crowded(house: House) -> House:
    return house.lived(crowd)


def crowd(house: House) -> None:
    """alice and bob play on 101; seven follow it in all ways there are."""
    house.players("alice", "bob", *CROWD)
    house.game("cross -size=3 alice bob", ["C3"])
    for userid, what in zip(CROWD, itertools.cycle(("101", "alice", "cross", "bob"))):
        house.send(userid, f"follow {userid} {userid}pass {what}")


CROWD = ("cal", "dan", "eva", "fay", "gus", "hal", "ida")


def told(mails: list[Got]) -> dict[str, str]:
    """What each follower reads, except how to stop it."""
    theirs = [got for got in mails if got.address.partition("@")[0] in CROWD]
    found = {
        got.address.partition("@")[0]: re.split(r"\nYou follow|To stop following", got.letter)[0] for got in theirs
    }
    assert len(found) == len(theirs), "nobody is told twice"
    return found


@pytest.mark.parametrize("text", ["B2", "propose", "resign!", "B2\n\nWell played.", "B2\npropose"])
def test_many_followers_are_all_told_the_same(crowded: House, text: str) -> None:
    found = told(crowded.answer("bob", text, 101))
    assert set(found) == set(CROWD)
    assert len(set(found.values())) == 1


def test_of_many_followers_nobody_hears_a_player_they_have_blocked(crowded: House) -> None:
    crowded.send("hal", "block hal halpass bob")
    found = told(crowded.answer("bob", "chat\nHello, all.", 101))
    assert set(found) == {*CROWD} - {"hal"}
    assert all("Hello, all." in text for text in found.values())


def test_all_onlookers_but_the_author_get_their_kibitz(crowded: House) -> None:
    mails = kibitz(crowded, "ida", "White is lost.")
    found = told([got for got in mails if got.address != address_of("ida")])
    assert set(found) == {*CROWD} - {"ida"}
    assert not set(addressees(mails)) & {address_of("alice"), address_of("bob")}


# Kibitz


def kibitz(house: House, userid: str, text: str) -> list[Got]:
    return house.send(userid, f"cross kibitz 101 {userid} {userid}pass", text)


def test_players_read_kibitz_at_the_end_and_not_before(watched: House) -> None:
    assert sorted(addressees(kibitz(watched, "carol", "Swap was better."))) == [address_of("carol"), address_of("dave")]
    watched.answer("bob", "B2", 101)
    watched.answer("alice", "chat\nHello", 101)
    watched.send("bob", "cross show 101")
    for userid in ("alice", "bob"):
        assert not any("Swap was" in text for got in watched.mailboxes[address_of(userid)] for text in everything(got))
    last = watched.answer("alice", "resign!", 101)
    assert {got.address for got in last if "Swap was better." in got.body} == {address_of("alice"), address_of("bob")}


def test_kibitz_of_somebody_blocked_is_not_read(watched: House) -> None:
    watched.send("bob", "block bob bobpass carol")
    watched.send("dave", "block dave davepass carol")
    assert addressees(kibitz(watched, "carol", "Swap was better.")) == [address_of("carol")]
    watched.answer("bob", "B2", 101)
    last = watched.answer("alice", "resign!", 101)
    assert {got.address for got in last if "Swap was better." in got.body} == {address_of("alice")}


def test_only_those_who_look_on_kibitz(watched: House) -> None:
    for userid in ("alice", "erin"):
        (got,) = kibitz(watched, userid, "Psst.")
        assert (got.address, got.refuses) == (address_of(userid), True)
    watched.send("erin", "cross notify erin erinpass 101")
    assert kibitz(watched, "erin", "Psst.")[0].refuses


def test_so_much_kibitz_a_day_and_no_more(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(messages_per_day=2)))
    house.players("alice", "bob", "carol")
    house.game("cross -size=3 alice bob")
    house.send("carol", "follow carol carolpass 101")
    assert [kibitz(house, "carol", "Hm.")[0].refuses for _ in range(3)] == [False, False, True]


# Notes


def test_notes_add_up_to_a_limit_and_survive_a_ply_taken_back(watched: House) -> None:
    watched.answer("alice", "note\nFirst.", 101)
    watched.answer("alice", "note\nSecond.", 101)
    (got,) = watched.answer("alice", f"note\n{'long ' * 1200}", 101)
    assert got.refuses
    (got,) = [got for got in watched.answer("bob", "B2", 101) if got.address == address_of("alice")]
    assert "First." in got.body
    assert "Second." in got.body
    watched.answer("bob", "undo", 101)
    (got,) = [got for got in watched.answer("alice", "accept", 101) if got.address == address_of("alice")]
    assert "First." in got.body


def test_who_looks_on_may_have_notes_too(watched: House) -> None:
    watched.answer("bob", "B2", 101)
    watched.answer("carol", "note\nRemember D4.", 101)
    told = watched.answer("alice", "D4", 101)
    assert [got.address for got in told if "Remember D4." in got.body] == [address_of("carol")]


# Secrets: what belongs to one player is in no mail to anybody else, in any form, as one that has both forms shows


@pytest.mark.parametrize("watched", ["both"], indirect=True)
def test_nobody_sees_plans_notes_and_tokens_of_others(watched: House) -> None:
    watched.answer("bob", "B2", 101)
    watched.answer("carol", "note\nOdd wonders.", 101)
    watched.answer("alice", "D4\nif any: C4; if B4: E4", 101)
    watched.answer("alice", "note\nMy own thought.", 101)
    watched.answer("bob", "note\nDeep thought.", 101)
    watched.answer("bob", "submit B3", 101)
    watched.answer("alice", "queue A3", 101)
    for userid in ("alice", "bob", "carol", "dave", "erin"):
        watched.send(userid, "cross show 101")
        watched.send(userid, "cross show 101#1")
    watched.answer("alice", "chat\nHello.", 101)
    watched.send("bob", "cross resign 101 bob bobpass")
    tokens = {
        userid: {token for got in watched.mailboxes[address_of(userid)] for token in _tokens(got)}
        for userid in ("alice", "bob", "carol", "dave", "erin")
    }
    own = {"alice": ("My own thought", "if any", "queued A3"), "bob": ("Deep thought",), "carol": ("Odd wonders",)}
    for reader, mine in tokens.items():
        others = set().union(*(found for userid, found in tokens.items() if userid != reader))
        assert mine.isdisjoint(others)
        for got in watched.mailboxes[address_of(reader)]:
            for text in everything(got):
                for owner, words in own.items():
                    assert owner == reader or not any(word in text for word in words), f"{reader} reads of {owner}"
    assert any("Deep thought" in text for got in watched.mailboxes[address_of("bob")] for text in everything(got))


def _tokens(got: Got) -> set[str]:
    """The tokens after the plus in our addresses, without those of return paths."""
    return {token for text in everything(got) for token in re.findall(r"pbm\+([a-z0-9]+)@", text)}


ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")


@pytest.mark.parametrize("watched", ["both"], indirect=True)
def test_nobody_sees_an_address_of_anybody_else(watched: House) -> None:
    """A rich conversation with all kinds of mail: boards, words, errors, lists, exports, goodbyes."""
    watched.answer("bob", "B2\nHi!", 101)
    watched.send("alice", "message alice alicepass bob carol", "Hello to you.")
    watched.answer("bob", "Hello back.")
    kibitz(watched, "carol", "Hm.")
    watched.send("erin", "cross challenge erin alice -size=3", "Shall we?")
    watched.send("erin", "cross seek erin erinpass")
    watched.send("dave", "take 1 dave davepass")
    watched.answer("alice", "chat\nWho is there?", 101)
    watched.answer("alice", "Z9 is not on it", 101)
    watched.answer("alice", "propose", 101)
    watched.answer("bob", "accept", 101)
    watched.answer("bob", "rematch", 101, vouched=True)
    watched.send("erin", "broadcast erin erinpass", "To all.")
    for userid in ("alice", "bob", "carol", "dave", "erin"):
        for line in ("about alice", "cross standings", "cross history", "list cross", "follow", "block", "export"):
            name, *words = line.split()
            login = f"{userid} {userid}pass" if name in ("follow", "block", "export") else ""
            watched.send(userid, " ".join([name, *words, login]).strip())
        watched.send(userid, f"why {userid} {userid}pass")
    watched.send("alice", "erase me alice alicepass")
    watched.send("bob", "delete bob bobpass")
    seen = set()
    for address, mails in watched.mailboxes.items():
        for got in mails:
            for text in everything(got):
                found = {each.casefold() for each in ADDRESS.findall(text)}
                people = {each for each in found if each.endswith("example.net") and not each.startswith("mail-")}
                assert people <= {address}, text
                seen |= people
    assert len(seen) == 5


def test_a_board_may_be_called_one(house: House) -> None:
    house.players("alice", "bob", "carol")
    assert house.game("cross alice bob", ["C4"]) == 101
    for line, told in (("Follow game 101", "how it stands"), ("unfollow match 101", "You do not follow board 101")):
        assert house.send("carol", line)[0]["Subject"] == "pbm: was that you?"
        assert told in house.answer("carol", "yes")[0].body
    assert "Board 101 goes on" in house.send("carol", "Replay game 101 please")[0].body
