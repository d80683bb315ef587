"""How the operator deals with people, and what they and the operator write to each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from pbm.cli.output import replayed
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.mail import Arrival
from pbm.server import Settings
from pbm.server.arbiter import Arbiter
from pbm.server.operator import Administration
from pbm.server.rows import player_named
from pbm.server.steward import Steward
from pbm.store.tables import ratings as rating_rows
from tests.conversation import ROBOT, House, address_of

OPERATOR = "helga@example.org"


@pytest.fixture
def inn(new_house: Callable[..., House]) -> House:
    """alice, bob and carol; the operator gets mail at OPERATOR."""
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    house.players("alice", "bob", "carol")
    return house


def hand(house: House) -> Steward:
    return Steward(house.service)


def told(house: House) -> dict[str, str]:
    """The last mail to each address, in one line."""
    return {mail.address: " ".join(mail.letter.split()) for mail in house.collect()}


def test_a_player_who_is_suspended_is_told_so_and_nothing_is_done(inn: House) -> None:
    board = inn.game("cross -size=4 alice bob", ("D4", "C3"))
    hand(inn).ban("Alice", inn.now + timedelta(days=30), "rude words to bob.")
    text = told(inn)[address_of("alice")]
    assert "You are suspended from this server until 2026-01-31 12:03 UTC: rude words to bob." in text
    assert "write to postmaster@example.org" in text
    inn.now += timedelta(days=2)
    (got,) = inn.answer("alice", "A1", board)
    assert "Nothing you asked for was done." in got.body
    assert inn.inbox_row.reason == "ban: alice is kept out"
    assert inn.send("eve@example.com", "cross move 101 alice alicepass A1") == []
    assert inn.send("alice", "signup alice2 secret123") == []
    with inn.service.store.read() as tx:
        match = tx.matches.load(board)
        assert match is not None
        assert len(match.record) == 2
    (asked,) = inn.send("alice", "let me in", to="postmaster@example.org")
    assert asked.address == OPERATOR
    hand(inn).lift("alice")
    assert "You may play again" in told(inn)[address_of("alice")]
    assert inn.answer("alice", "show", board)
    assert inn.inbox_row.state is Arrival.HANDLED


def test_nobody_begins_a_game_with_somebody_who_is_kept_out(inn: House) -> None:
    """Their clock would run while they cannot answer."""
    hand(inn).ban("alice", inn.now + timedelta(days=1), "rude words")
    inn.collect()
    (got,) = inn.send("bob", "cross challenge bob alice")
    assert "No game was started: alice does not play here at present." in " ".join(got.body.split())
    assert "rude" not in got.body
    inn.now += timedelta(days=1)
    assert inn.game("cross -size=4 alice bob") == 101


def test_a_tag_does_not_let_an_address_in_that_is_kept_out(inn: House) -> None:
    hand(inn).ban("eve@elsewhere.example", None, "")
    assert inn.send("eve+games@elsewhere.example", "hello") == []
    assert inn.send("eva@elsewhere.example", "hello")


def test_a_suspension_ends_by_itself(inn: House) -> None:
    hand(inn).ban("alice", inn.now + timedelta(days=1), "")
    assert "until 2026-01-02" in told(inn)[address_of("alice")]
    inn.now += timedelta(days=2)
    assert inn.send("alice", "games")
    assert inn.inbox_row.state is Arrival.HANDLED


def test_an_address_or_a_domain_is_kept_out_and_hears_nothing(inn: House) -> None:
    for who in ("eve@example.com", "@spam.example"):
        hand(inn).ban(who, None, "")
    for sender in ("Eve@example.com", "x@spam.example", "y@mail.spam.example"):
        assert inn.send(sender, "help") == []
        assert inn.inbox_row.state is Arrival.IGNORED
        assert inn.send(sender, "hello", to="postmaster@example.org") == []
    assert inn.send("x@notspam.example", "help")
    with inn.service.store.read() as tx:
        banned = [ban.subject for ban in tx.bans.all()]
    assert banned == ["@spam.example", "eve@example.com"]
    with pytest.raises(NotFound):
        hand(inn).lift("@other.example")


def test_a_player_who_is_banned_may_lose_all_games_at_once(inn: House) -> None:
    board = inn.game("cross -size=4 alice bob", ("D4", "C3"))
    assert hand(inn).ban("alice", None, "cheating", forfeit=True) == [board]
    assert "You (X) won because alice is suspended." in told(inn)[address_of("bob")]
    with pytest.raises(NotAllowed):
        hand(inn).ban("@example.com", None, "", forfeit=True)


def test_a_player_gets_another_userid(inn: House) -> None:
    board = inn.game("cross -size=4 alice bob", ("D4", "C3"))
    Administration(inn.service).rename("alice", "Alicia")
    assert "you are Alicia now, no longer alice" in told(inn)[address_of("alice")]
    assert "Alicia" in inn.send("alice", "cross move 101 alicia alicepass A1")[0].body
    with pytest.raises(NotAllowed, match="taken"):
        Administration(inn.service).rename("Alicia", "b0b")
    assert replayed(inn.service.store, [board])[0].problem == ""
    Administration(inn.service).rename("Alicia", "alicia")


def won(house: House, winner: str, loser: str) -> int:
    board = house.game(f"cross -size=4 {winner} {loser}", ("D4", "C3", "E5"))
    house.answer(loser, "resign!", board)
    return board


def ratings(house: House) -> dict[str, tuple[float, int, int]]:
    with house.service.store.read() as tx:
        return {
            player.userid: (round(record.rating.rating, 6), record.won, record.lost)
            for player, record in tx.ratings.standings("cross")
        }


def test_two_accounts_of_a_person_become_one(inn: House, new_house: Callable[..., House]) -> None:
    """Their ratings are those of one person who has played all the games."""
    won(inn, "alice", "bob")
    won(inn, "bob", "carol")
    won(inn, "alice", "carol")
    running = inn.game("cross -size=4 bob carol", ("D4", "C3"))
    assert len(Administration(inn.service).merge("carol", "alice")) == 2, "they met on the third"
    assert "merged your accounts carol and alice into one" in told(inn)[address_of("carol")]
    other = new_house(Settings(ROBOT))
    other.players("alice", "bob")
    won(other, "alice", "bob")
    won(other, "bob", "alice")
    got, wanted = ratings(inn), ratings(other)
    assert got.keys() == wanted.keys()
    assert [got[userid][1:] for userid in got] == [wanted[userid][1:] for userid in got]
    assert [got[userid][0] for userid in got] == pytest.approx([wanted[userid][0] for userid in got], abs=0.5)
    with pytest.raises(NotFound):
        Administration(inn.service).merge("carol", "alice")
    with inn.service.store.read() as tx:
        addresses = tx.players.addresses(player_named(tx, "alice").id)
        assert [each.address for each in addresses] == [address_of("alice"), address_of("carol")]
        assert all(verdict.problem == "" for verdict in replayed(inn.service.store))
        match = tx.matches.load(running)
        assert match is not None
        assert {player.userid for player in match.players} == {"alice", "bob"}


def test_who_was_erased_gets_no_rating_back_when_those_they_met_are_rated_anew(inn: House) -> None:
    won(inn, "alice", "bob")
    Administration(inn.service).remove_player("alice")
    Administration(inn.service).merge("carol", "bob")
    with inn.service.store.read() as tx:
        (row,) = (row for part in tx.contents.rows(rating_rows) for row in part)
        assert row[0] == player_named(tx, "bob").id


def test_accounts_that_play_each_other_are_not_merged(inn: House) -> None:
    board = inn.game("cross -size=4 alice bob", ("D4", "C3"))
    with pytest.raises(NotAllowed, match="They play each other on board 101: pbm board void 101"):
        Administration(inn.service).merge("bob", "alice")
    Arbiter(inn.service).void(board)
    assert Administration(inn.service).merge("bob", "alice") == [], "where they met both names stay"
    told(inn)
    (mail,) = inn.send(address_of("alice"), f"show {board}")
    assert re.search(r"alice \(O\) +bob \(X\)", mail.body)
    assert all(verdict.problem == "" for verdict in replayed(inn.service.store))


def test_what_a_merged_player_has_asked_is_answered_and_taken_back_as_the_other_account(inn: House) -> None:
    inn.send("alice", "set alice alicepass challenges ask")
    for words in ("hex challenge me alice", "cross challenge me alice", "y challenge me friend@nowhere.example"):
        inn.send("bob", words.replace(" me ", " bob ") + " bob bobpass")
    Administration(inn.service).merge("bob", "carol")
    told(inn)
    assert any("hex" in got["Subject"].casefold() for got in inn.answer("alice", "yes", mail=2))
    with inn.service.store.read() as tx:
        match = tx.matches.summary(101)
        assert match is not None
        assert [player.userid for player in match.players] == ["carol", "alice"]
    for whom in ("alice", "friend@nowhere.example"):
        assert "Taken back" in inn.send("carol", f"withdraw carol carolpass {whom}")[0].body


def test_what_a_merged_player_was_asked_is_answered_as_the_other_account(inn: House) -> None:
    inn.send("bob", "set bob bobpass challenges ask")
    inn.send("alice", "hex challenge alice bob alice alicepass")
    Administration(inn.service).merge("bob", "carol")
    told(inn)
    assert any(got.board == 101 for got in inn.answer("bob", "yes", mail=2))
    with inn.service.store.read() as tx:
        match = tx.matches.summary(101)
        assert match is not None
        assert [player.userid for player in match.players] == ["alice", "carol"]


def test_emails_that_a_merged_player_has_revoked_stay_void(inn: House) -> None:
    inn.game("cross -size=4 bob carol", ("D4",))
    inn.send("carol", "revoke carol carolpass")
    Administration(inn.service).merge("carol", "alice")
    told(inn)
    (got,) = inn.answer("eve@elsewhere.example", "C3", 101, of="carol")
    assert "void" in got.body
    assert inn.answer("alice", "show 101", of="carol")[0].board == 101, "the email of the merger counts"


def test_an_answer_to_a_merged_player_reaches_the_other_account(inn: House) -> None:
    inn.send("alice", "message alice alicepass bob", "Hello!")
    Administration(inn.service).merge("alice", "carol")
    told(inn)
    got = inn.answer("bob", "And hello to you!", mail=1)
    assert {mail.address for mail in got} == {address_of("alice"), address_of("carol")}
    assert all("And hello to you!" in mail.body for mail in got)


def test_a_letter_goes_to_some_players_or_to_all_and_is_answered_to_the_operator(inn: House) -> None:
    assert hand(inn).write_to(["bob"], "the server moves", "On Monday.") == 1
    (mail,) = inn.collect()
    assert mail.address == address_of("bob")
    assert mail["Reply-To"] == "postmaster@example.org"
    assert "On Monday." in mail.body
    inn.send("bob", "set bob bobpass broadcasts off")
    assert hand(inn).write_to([], "the server moves", "On Monday.") == 3
    assert {mail.address for mail in inn.collect()} == set(map(address_of, ("alice", "bob", "carol")))


def test_a_command_in_answer_to_a_letter_is_not_done_and_its_writer_is_told_once_a_day(inn: House) -> None:
    hand(inn).write_to(["bob"], "the server moves", "On Monday.")
    inn.collect()
    got = {mail.address: mail for mail in inn.answer("bob", "cross challenge me robot1")}
    assert "cross challenge me robot1" in got[OPERATOR].body
    assert "were not carried out" in got[address_of("bob")].body
    assert {mail.address for mail in inn.send("bob", "games", to="postmaster@example.org")} == {OPERATOR}
    again = inn.send("BOB@example.net", "cross games bob", to="postmaster@example.org")
    assert {mail.address for mail in again} == {OPERATOR}, "another spelling of their address is no other player"
    assert inn.answer("bob", "cross challenge me robot1", of="bob")[0].board is not None
    inn.wait(timedelta(days=2))
    assert {mail.address for mail in inn.send("bob", "", "Thank you!", to="postmaster@example.org")} == {OPERATOR}
    forged = inn.send("eve@example.com", "cross challenge me robot1", to="postmaster@example.org")
    assert {mail.address for mail in forged} == {OPERATOR}, "a stranger is told nothing"


def test_the_operators_answer_goes_to_who_wrote_and_is_no_command(inn: House) -> None:
    (asked,) = inn.send("eve@example.com", "may I play?", "I have no account.", to="postmaster@example.org")
    assert "I have no account." in asked.body
    assert [each.state for each in inn.parked()] == [Arrival.PARKED]
    answers = inn.answer(OPERATOR, "help\nSend signup and two words.")
    assert {mail.address for mail in answers} == {OPERATOR, "eve@example.com"}
    (letter,) = (mail for mail in answers if mail.address == "eve@example.com")
    assert letter["Subject"] == "Re: may I play?"
    assert "Send signup and two words." in letter.body
    assert all("To join" not in mail.body for mail in answers)
    assert letter["In-Reply-To"].endswith("@example.com>")
    assert OPERATOR not in letter.text
    assert inn.parked() == []


@pytest.mark.parametrize("letter", ["x", "\u4e2d", "\N{GRINNING FACE}"])
def test_a_letter_with_a_subject_of_any_length_can_be_answered(letter: str, inn: House) -> None:
    (asked,) = inn.send("eve@example.com", 990 * letter, "Hello?", to="postmaster@example.org")
    answered, done = inn.send(OPERATOR, "Re: your mail", "Yes?", to=asked["Reply-To"])
    assert (answered.address, done["Subject"]) == ("eve@example.com", "pbm: done")


def test_the_operator_closes_a_letter_by_mail(inn: House) -> None:
    inn.send("eve@example.com", "spam", to="postmaster@example.org")
    (done,) = inn.answer(OPERATOR, "Close.")
    assert "is closed" in done.body
    assert inn.parked() == []


def test_parked_mails_are_answered_passed_on_or_closed(inn: House) -> None:
    for _ in range(3):
        inn.send("eve@example.com", "a question", "What is this?", to="abuse@example.org")
    first, second, third = (mail.id for mail in inn.parked())
    assert hand(inn).answer(first, "A game server.") == "eve@example.com"
    with pytest.raises(BadArguments, match="not an email address"):
        hand(inn).forward(second, "lawyer")
    hand(inn).forward(second, "lawyer@example.org")
    hand(inn).close([third])
    mails = {mail.address: mail for mail in inn.collect()}
    assert "A game server." in mails["eve@example.com"].body
    assert "What is this?" in mails["lawyer@example.org"].part("application/octet-stream")
    assert inn.parked() == []
    with pytest.raises(NotAllowed, match="does not wait for you"):
        hand(inn).close([third])
    with pytest.raises(NotFound):
        hand(inn).answer(999, "hello")


def test_both_addresses_are_told_of_a_change(inn: House) -> None:
    Steward(inn.service).set_addresses("alice", ["new@example.net"])
    letters = told(inn)
    assert "no longer comes to this one" in letters[address_of("alice")]
    assert "Your mail goes to new@example.net." in letters["new@example.net"]


OLD = "games@old.example.net"


@pytest.mark.parametrize("to", ["pbm+{}@example.org", "games+{}@old.example.net", "games-{}@OLD.example.net"])
def test_answers_to_a_former_address_count(new_house: Callable[..., House], to: str) -> None:
    house = new_house(Settings(replace(ROBOT, aliases=(OLD,))))
    house.players("alice", "bob")
    board = house.game("cross -size=4 alice bob", ("D4", "C3"))
    answer = house.answering("alice", "E5", board)
    token = answer.recipients[0].partition("+")[2].partition("@")[0]
    address = to.format(token)
    assert house.service.tools.composer.robot.owns(address)
    raw = answer.raw.replace(answer.recipients[0].encode(), address.encode())
    (*_, mail) = house.deliver(replace(answer, recipients=(address,), raw=raw))
    assert "alice played E5" in mail.body
    assert mail["Reply-To"].endswith("@example.org")


@pytest.mark.parametrize("address", [OLD, "bounce+abc@old.example.net", "postmaster@old.example.net"])
def test_mail_to_a_former_address_is_ours_and_to_others_not(new_house: Callable[..., House], address: str) -> None:
    house = new_house(Settings(replace(ROBOT, aliases=(OLD,))))
    assert house.service.tools.composer.robot.owns(address)
    assert not house.service.tools.composer.robot.owns(address.replace("old", "older"))
    assert house.send(OLD, "help") == []
    assert "our own mail" in house.inbox_row.reason
