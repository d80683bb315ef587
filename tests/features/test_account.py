"""Accounts: who may do what to them, how often, and that no mail ever shows a password."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest
import structlog

from games import GAMES
from pbm.domain.configuration import Limits
from pbm.server import Settings
from pbm.server.operator import Administration
from pbm.server.steward import Steward
from tests.conversation import ROBOT, Got, House, address_of, password


def texts(house: House) -> list[str]:
    return [got.text + got.body for box in house.mailboxes.values() for got in box]


def confirmed(house: House, userid: str) -> list[str]:
    with house.service.store.read() as tx:
        player = tx.players.find(userid)
        return tx.players.confirmed(player.id) if player else []


def addressees(mails: list[Got]) -> list[str]:
    return [got.address for got in mails]


def can_log_in(house: House, userid: str, word: str) -> bool:
    """From an address that nobody has used before, because a stranger gets few answers."""
    (got,) = house.send(f"{word.casefold()}{house.now:%d%H%M}@example.com", f"set {userid} {word} broadcasts")[:1]
    return got["Subject"] == "pbm: your settings"


@pytest.fixture
def alice(house: House) -> House:
    house.player("alice")
    return house


def test_no_password_is_repeated_in_a_mail_or_a_log(alice: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    words = ["alicepass", "Sesame1", "Sesame3", "wrong99x", "carolpw77"]
    alice.player("bob")
    with structlog.testing.capture_logs() as logs:
        alice.send("alice", "change password alice alicepass Sesame1")
        alice.send("alice", "change password alice wrong99x Sesame2")
        alice.send("alice", "chnage password alice Sesame1 Sesame2")
        alice.send("alice", "change password alice Sesame1")
        alice.send("alice", "reset password alice Sesame2")
        alice.send("x@example.com", "reset password alice")
        alice.answer("alice", "two words Sesame2")
        alice.answer("alice", "Sesame3")
        alice.send("alice", "message alice Sesame3 bob", "my password is Sesame3")
        alice.answer("bob", "cross move 101 bob Quoted55 F6")
        alice.send("alice", "broadcast alice Sesame3", "all of you: Sesame3")
        alice.send("alice", "multiple", "set alice Sesame3\nadd alice Sesame3\nbrodcast alice Quoted55")
        alice.send("carol", "signup carol carolpw77")
        alice.send("carol", "signup carol carolpw77 at-home")
        alice.send("alice", "delete alice Sesame3")
    for word in words:
        assert not [text for text in texts(alice) if word in text], word
        assert word not in caplog.text + repr(logs), word
    assert not alice.parked()


def test_a_mail_names_no_account_in_its_subject_that_may_be_read_by_others(alice: House) -> None:
    alice.send("bob", "signup bob bobpass")
    alice.answer("bob", "yes")
    alice.send("bob", "message bob bobpass alice", "hello")
    alice.send("bob", "reset password alice")
    subjects = [got["Subject"] for box in alice.mailboxes.values() for got in box]
    assert len(subjects) == 6
    assert not [subject for subject in subjects if "alice" in subject or "bob" in subject]


@pytest.mark.parametrize("line", ["delete", "add new@example.com", "change password Sesame1", "signoff"])
def test_an_answer_to_a_mail_does_not_change_an_account(line: str, table: House) -> None:
    """A forwarded board mail gives away the board, never the account."""
    before = table.dump()
    (got,) = table.answer("alice", line, 101)
    assert got.refuses
    assert table.dump() == before


def test_a_changed_password_revokes_what_was_mailed_before(alice: House) -> None:
    alice.send("alice", "set alice alicepass")
    assert alice.answer("alice", "set board words", mail=1)[0]["Subject"] == "pbm: your settings"
    alice.send("alice", "change password alice alicepass Sesame1")
    (got,) = alice.answer("elsewhere@example.com", "set board ascii", of="alice", mail=1)
    assert got.refuses
    assert not can_log_in(alice, "alice", "alicepass")
    assert can_log_in(alice, "alice", "Sesame1")


def test_only_the_latest_reset_works_once_and_within_a_day(alice: House) -> None:
    for _ in range(2):
        alice.send("alice", "reset password ALICE")
    alice.answer("alice", "Sesame1", mail=1)
    assert not can_log_in(alice, "alice", "Sesame1")
    alice.answer("alice", "Sesame2", mail=3)
    assert can_log_in(alice, "alice", "Sesame2")
    alice.answer("alice", "Sesame3", mail=3)
    assert not can_log_in(alice, "alice", "Sesame3")
    alice.send("alice", "reset password alice")
    late = len(alice.mailboxes[address_of("alice")]) - 1
    alice.now += timedelta(days=2)
    alice.answer("alice", "Sesame3", mail=late)
    assert not can_log_in(alice, "alice", "Sesame3")


def test_a_first_password_is_set_at_once_where_the_mail_server_vouches_for_the_address(house: House) -> None:
    house.send("joe", "hello")
    house.answer("joe", "joe")
    vouched = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    (got,) = house.send("joe", "password joespass", **vouched)
    assert "Your password is set" in got.body
    assert can_log_in(house, "joe", "joespass")


@pytest.mark.parametrize("words", ["never", "STOP writing to me!"])
def test_a_mailbox_that_wants_no_more_questions_gets_none_and_can_still_join(words: str, house: House) -> None:
    victim = "victim@home.example"
    house.send("eve@evil.example", f"signup victor passw0rd {victim}")
    (got,) = house.answer(victim, words)
    assert "nobody can make us write to this address again" in " ".join(got.body.split())
    house.player("alice")
    house.wait(timedelta(days=40))
    for line in (f"signup vera passw0rd {victim}", "add alice alicepass v.ictim+x@home.example"):
        assert victim not in addressees(house.send("eve@evil.example", line))
    house.send(victim, "hello")
    house.answer(victim, "vera")
    assert confirmed(house, "vera") == [victim]


@pytest.mark.parametrize("words", ["cross games me", "cross challenge me bob"])
def test_an_address_of_two_accounts_is_not_taken_for_a_strangers(words: str, house: House) -> None:
    house.player("bob")
    for userid in ("ann", "ben"):
        house.send("both@home.example", f"signup {userid} {userid}spass")
        house.answer("both@home.example", "yes")
    (got,) = house.send("both@home.example", words)
    assert 'Who is "me"? ann and ben read mail at your address: write a userid.' in " ".join(got.body.split())
    assert "To join" not in got.body


def test_a_mailbox_that_never_answers_is_asked_nine_times_until_it_writes(house: House) -> None:
    victim = "victim@home.example"
    asked: list[int] = []
    for day in [*range(28), *range(28, 120, 7)]:
        for name in "abcd" if day < 3 else "a":
            house.send("eve@evil.example", f"signup v{name}{chr(97 + day % 26)}{day} passw0rd {victim}")
        asked += [day] * (len(house.mailboxes[victim]) - len(asked))
        house.wait(timedelta(days=1 if day < 27 else 7) - timedelta(minutes=4 if day < 3 else 1))
        house.service.tidy()
    assert asked == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    (got,) = house.send(victim, "signup vera passw0rd")
    assert "questions to one address that answers none are limited to 9 a year" in " ".join(got.body.split())
    house.send(victim, "hello")
    house.answer(victim, "signup vera passw0rd")
    house.answer(victim, "yes")
    assert confirmed(house, "vera") == [victim]


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ("no-way-jose", "no-way-jose"),
        ("stop.it77", "stop.it77"),
        ("password Sesame1", "Sesame1"),
        ("Password: Sesame1", "Sesame1"),
        *((word, "alicepass") for word in ("Stop!", "no", "Nein!", "never")),
    ],
)
def test_a_password_may_begin_like_a_refusal_and_stand_after_the_word_of_the_command(
    answer: str, chosen: str, alice: House
) -> None:
    alice.send("alice", "reset password alice")
    alice.answer("alice", answer, mail=1)
    assert chosen.encode() not in alice.inbox_row.raw
    assert can_log_in(alice, "alice", chosen)


def test_requests_that_send_nothing_do_not_make_an_earlier_question_useless(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(questions_per_day=1)))
    house.player("alice")
    house.send("alice", "reset password alice")
    assert addressees(house.send("eve@evil.example", "reset password alice")) == ["eve@evil.example"]
    house.answer("alice", "Sesame1", mail=1)
    assert can_log_in(house, "alice", "Sesame1")


def test_a_banned_player_is_not_asked_for_a_password_by_others(alice: House) -> None:
    Steward(alice.service).ban("alice", None, "")
    alice.collect()
    assert addressees(alice.send("eve@evil.example", "reset password alice")) == ["eve@evil.example"]


def test_a_mailbox_that_is_given_up_sets_no_password(alice: House) -> None:
    alice.send("alice", "reset password alice")
    alice.send("alice", "change address alice alicepass new@example.net")
    alice.answer("new@example.net", "yes")
    (got,) = alice.answer("alice", "Sesame1", mail=1)
    assert "no longer one of the account's" in " ".join(got.body.split())
    assert can_log_in(alice, "alice", "alicepass")


def test_an_address_that_a_thief_adds_is_not_confirmed_after_the_operator_has_set_another_password(
    alice: House,
) -> None:
    alice.send("thief@example.com", "add alice alicepass thief@example.com")
    Administration(alice.service).reset_password("alice")
    alice.answer("thief@example.com", "yes", mail=1)
    assert confirmed(alice, "alice") == [address_of("alice")]


@pytest.mark.parametrize("vouched", [True, False])
def test_a_reset_without_a_userid_is_for_whoever_has_the_address(alice: House, vouched: bool) -> None:
    headers = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"} if vouched else {}
    alice.send("alice", "reset password", **headers)
    alice.answer("alice", "Sesame1", mail=1)
    assert can_log_in(alice, "alice", "Sesame1")
    (got,) = alice.send("nobody@example.com", "reset password")
    assert 'No account has the address "nobody@example.com"' in got.body


@pytest.mark.parametrize("game", GAMES)
def test_a_stranger_who_wants_to_play_a_game_is_asked_for_a_name(house: House, game: str) -> None:
    (got,) = house.send("stranger@example.com", f"play {game}")
    assert f"You ask for this:\n\n  play {game}\n" in got.body


@pytest.mark.parametrize("plays", [True, False])
def test_a_userid_without_addresses_is_taken_for_good(alice: House, plays: bool) -> None:
    with alice.service.store.write() as tx:
        tx.players.add("program", "", alice.now)
    if plays:
        alice.send("alice", "cross challenge alice robot3")
    alice.now += timedelta(days=60)
    for userid in ("program", "robot3"):
        (got,) = alice.send(f"for-{userid}@example.com", f"signup {userid} Sesame1")
        assert got.refuses
        assert f'"{userid}" is' in got.body
    with alice.service.store.read() as tx:
        assert tx.players.find("program") is not None


def test_nobody_floods_a_player_with_resets_or_learns_who_exists(alice: House) -> None:
    answers = []
    for number in range(5):
        answers += [
            got for got in alice.send(f"m{number}@example.com", "reset password alice") if got.address[0] == "m"
        ]
        answers += alice.send(f"n{number}@example.com", "reset password nobody")
    assert len(alice.mailboxes[address_of("alice")]) == 3
    assert len({got.body for got in answers}) == 1
    alice.now += timedelta(days=1)
    assert address_of("alice") in addressees(alice.send("m@example.com", "reset password alice"))


def test_an_address_is_not_asked_again_and_again(house: House) -> None:
    for number in range(5):
        house.send(f"m{number}@example.com", f"signup victim{number} passpass victim@example.com")
    assert len(house.mailboxes["victim@example.com"]) == 3
    (got,) = house.mailboxes["m4@example.com"]
    assert "questions to one address that others may have asked for are limited to 3 a day" in " ".join(
        got.body.split()
    )
    with house.service.store.read() as tx:
        assert not tx.players.is_taken("victim4")


def test_one_mail_does_not_write_to_many_strangers(house: House) -> None:
    lines = "".join(f"signup user{number} passpass v{number}@example.com\n" for number in range(10))
    told = house.send("m@example.com", "multiple", lines)
    assert addressees(told) == ["v0@example.com", "m@example.com"]


def test_an_account_that_nobody_confirmed_is_none(house: House) -> None:
    house.send("squatter", "signup alice squatpass")
    assert house.send("alice", "signup alice alicepass")[0]["Subject"] == "pbm: please confirm your address"
    house.answer("alice", "yes")
    assert confirmed(house, "alice") == [address_of("alice")]
    house.now += timedelta(days=30)
    assert house.send("squatter", "signup alice squatpass")[0].refuses
    house.answer("squatter", "yes", mail=1)
    assert confirmed(house, "alice") == [address_of("alice")]


def test_an_unconfirmed_address_gets_nothing_and_proves_nothing(alice: House) -> None:
    alice.send("alice", "add alice alicepass new@example.com")
    assert addressees(alice.send("alice", "set alice alicepass")) == [address_of("alice")]
    assert "Who are you?" in alice.send("new@example.com", "set")[0].body
    alice.answer("new@example.com", "ok", mail=1)
    assert addressees(alice.send("alice", "set alice alicepass")) == [address_of("alice"), "new@example.com"]


def test_an_answer_confirms_only_the_address_that_was_asked(alice: House) -> None:
    """An address that is dropped leaves its number to the next one, on SQLite."""
    alice.player("bob")
    alice.send("bob", "add bob bobpass thief@elsewhere.example")
    alice.send("bob", f"change address bob bobpass {address_of('alice')}")
    alice.answer("thief@elsewhere.example", "yes")
    assert confirmed(alice, "bob") == [address_of("bob")]


def test_three_addresses_and_no_more(alice: House) -> None:
    assert not alice.send("alice", "add alice alicepass a@example.com b@example.com")[-1].refuses
    assert alice.send("alice", "add alice alicepass c@example.com")[-1].refuses
    assert alice.send("alice", "change address alice alicepass 1@a.de 2@a.de 3@a.de 4@a.de")[-1].refuses
    alice.now += timedelta(days=8)
    assert not alice.send("alice", "add alice alicepass c@example.com")[-1].refuses, "those nobody confirmed are gone"


def test_old_addresses_stay_until_a_new_one_has_answered(alice: House) -> None:
    told = alice.send("alice", "change address alice alicepass new@example.com other@example.com")
    assert address_of("alice") in addressees(told)
    assert confirmed(alice, "alice") == [address_of("alice")]
    told = alice.answer("new@example.com", "yes")
    assert addressees(told) == [address_of("alice"), "new@example.com"]
    assert confirmed(alice, "alice") == ["new@example.com"]
    alice.answer("other@example.com", "yes")
    assert confirmed(alice, "alice") == ["new@example.com", "other@example.com"]


def test_a_change_to_one_of_two_addresses_needs_no_answer(alice: House) -> None:
    alice.send("alice", "add alice alicepass new@example.com")
    alice.answer("new@example.com", "yes")
    told = alice.send("alice", "change address alice alicepass new@example.com")
    assert addressees(told) == [address_of("alice"), "new@example.com"]
    assert confirmed(alice, "alice") == ["new@example.com"]


def test_no_mail_to_a_new_address_shows_the_senders_own(alice: House) -> None:
    alice.send("alice", "add alice alicepass new@example.org")
    (got,) = alice.mailboxes["new@example.org"]
    assert "example.net" not in got.text


def test_a_deleted_account_is_gone(table: House) -> None:
    table.send("alice", "set alice alicepass")
    told = table.send("alice", "delete alice alicepass")
    assert addressees(told) == [address_of("alice"), address_of("bob")]
    assert "alice has left" in told[1].body
    assert not can_log_in(table, "alice", "alicepass")
    assert "is void" in table.answer("alice", "set", mail=2)[0].body
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
        assert match is not None
        assert match.result is not None
        assert match.result.winner == 2


def test_new_passwords_are_hashed_before_the_transaction(alice: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(word: str) -> str:
        raise AssertionError(word)

    monkeypatch.setattr(alice.service.tools.passwords, "hash", fail)
    alice.send("carol", "signup carol carolpass")
    alice.send("alice", "change password alice alicepass Sesame1")
    alice.send("x@example.com", "reset password alice")
    alice.answer("alice", "Sesame2")
    assert not alice.parked()
    assert can_log_in(alice, "alice", "Sesame2")


def test_settings_change_what_is_mailed(new_house: Callable[..., House]) -> None:
    drawings = {}
    for style in ("ascii", "unicode", "words"):
        house = new_house()
        house.players("alice", "bob")
        house.send("bob", f"set bob {password('bob')} board {style}")
        house.game("cross -size=3 alice bob", ["C3"])
        drawings[style] = house.mailboxes[address_of("bob")][-1].body
    assert "(o)" in drawings["ascii"]
    assert "(○)" in drawings["unicode"]
    assert "Row C: C1 to C2 free; C3 O, the last move; C4 to C5 free." in drawings["words"]


def test_a_setting_is_found_in_any_case_and_told_in_its_zone(alice: House) -> None:
    (got,) = alice.send("alice", "set alice alicepass TimeZone europe/berlin")
    assert "timezone is now Europe/Berlin." in got.body
    assert f"{alice.now + timedelta(hours=1):%A %H:%M}" in got.body


@pytest.mark.parametrize("userid", ["set", "subject", "change", "reset", "me", "board", "pbm", "loops", "message"])
def test_words_of_the_server_are_no_userids(userid: str, house: House) -> None:
    assert house.send("a@example.com", f"signup {userid} alicepass")[0].refuses


def test_limits_are_the_operators(new_house: Callable[..., House]) -> None:
    limits = Limits(questions_per_day=1)
    house = new_house(Settings(ROBOT, limits))
    house.player("alice")
    for number in range(2):
        house.send(f"m{number}@example.com", "reset password alice")
        house.send("m@example.com", f"signup user{number} passpass v@example.com")
    assert len(house.mailboxes[address_of("alice")]) == 1
    assert len(house.mailboxes["v@example.com"]) == 1


@pytest.mark.parametrize("sender", ["stranger@example.com", "alice"])
def test_an_answer_to_one_board_does_not_play_on_another(sender: str, table: House) -> None:
    table.game("cross -size=3 alice bob")
    before = table.dump()
    (got,) = table.answer(sender, "cross move 102 C3", 101, of="alice")
    assert got.address == address_of("alice")
    assert "answers one about board 101" in " ".join(got.body.split())
    assert table.dump() == before
    table.answer(sender, "cross move 102 alice alicepass C3", 101, of="alice")
    assert table.dump() != before


def test_a_new_name_is_kept_through_bans_and_erased_with_its_player(people: House) -> None:
    people.send("bob", "rename bob bobpass robert")
    with people.service.store.read() as tx:
        bob = tx.players.find("BOB")
        assert bob is not None
        assert bob.userid == "robert"
    Steward(people.service).ban("bob", None, "rude")
    with people.service.store.read() as tx:
        assert tx.bans.of(["robert"], people.now)
    Steward(people.service).lift("Bob")
    with people.service.store.read() as tx:
        assert not tx.bans.all()
        traces = tx.erasure.traces(bob.id)
        assert traces is not None
        assert {"bob", "robert"} <= traces.names
