"""Who sent a mail: what can be forged proves nothing, and a revoked proof proves nothing any more."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.conversation import House, address_of

VOUCHED = "mx.example.org; dkim=pass header.d={}"


@pytest.mark.parametrize("forged", ["ross@ba\u00df.example", "ro\u00df@bass.example", "ro\u017fs@bass.example"])
def test_an_address_that_only_folds_to_a_players_is_not_theirs(forged: str, house: House) -> None:
    house.player("ross")
    with house.service.store.write() as tx:
        player = tx.players.find("ross")
        assert player is not None
        tx.players.add_address(player.id, "ross@bass.example", house.now, confirmed=True)
    results = VOUCHED.format(forged.partition("@")[2])
    house.service.accept([house.mail(forged, "set board words", Authentication_Results=results)])
    house.service.handle()
    with house.service.store.read() as tx:
        assert tx.outbox.latest(None, 10) == [], "no header can hold such an address"
        assert "board" not in tx.players.settings(player.id)


def test_a_stolen_password_leaves_no_way_back_in(house: House) -> None:
    """A thief who added an address with the password cannot confirm it after the password has changed."""
    house.player("alice")
    house.send("mallory", "add alice alicepass mallory@example.net")
    house.send("alice", "change password alice alicepass Sesame1")
    house.answer("mallory", "yes")
    with house.service.store.read() as tx:
        player = tx.players.find("alice")
        assert player is not None
        assert tx.players.confirmed(player.id) == [address_of("alice")]


def test_a_password_may_be_changed_before_the_first_address_counts(house: House) -> None:
    house.send("alice", "signup alice Sesame1")
    house.send("alice", "change password alice Sesame1 Sesame2")
    (got,) = house.answer("alice", "yes", mail=1)
    assert got["Subject"] == "pbm: welcome"


def test_a_changed_password_ends_the_right_to_answer_messages(house: House) -> None:
    house.players("alice", "bob")
    house.send("bob", "message bob bobpass alice", "Hello!")
    house.send("alice", "change password alice alicepass Sesame1")
    mails = house.answer("mallory", "I am alice.", of="alice", mail=1)
    assert address_of("bob") not in {got.address for got in mails}


@pytest.mark.parametrize("answer", ["start", "join", "fun"])
def test_words_that_agree_to_a_game_do_not_say_that_it_was_them(answer: str, table: House) -> None:
    table.send("bob", "cross move 101 C4")
    (got,) = table.answer("bob", answer)
    assert got["Subject"] == "pbm: yes or no?"
    assert "You played C4" in table.answer("bob", "it was me")[-1].body


def test_a_command_in_answer_to_the_question_is_read_as_in_any_mail(table: House) -> None:
    table.send("bob", "cross move 101 C4")
    assert table.answer("bob", "help")[0]["Subject"] == "pbm: help"
    assert table.answer("bob", "set mail text", mail=-1)[0]["Subject"] == "pbm: was that you?"
    assert table.answer("bob", "help", mail=-2)[0]["Subject"] == "pbm: help"
    assert "You played C4" in table.answer("bob", "yes", mail=-3)[-1].body


@pytest.mark.parametrize("answer", ["no", "No, that was not me!", "Not me.", "Never!"])
def test_a_no_does_not_confirm(answer: str, table: House) -> None:
    before = table.dump()
    (asked,) = table.send("bob", "cross move 101 C4")
    assert asked["Subject"] == "pbm: was that you?"
    (got,) = table.answer("bob", answer)
    assert got["Subject"] == "pbm: nothing was done"
    (late,) = table.answer("bob", "yes", mail=len(table.mailboxes[address_of("bob")]) - 1)
    assert late.refuses
    assert table.dump() == before


def test_a_held_command_is_carried_out_once_and_for_its_own_player_only(table: House) -> None:
    table.send("bob", "cross move 101 C4", "Nice.")
    held = len(table.mailboxes[address_of("bob")])
    mails = table.answer("alice", "yes", of="bob", mail=held)
    assert any("bob played C4" in got.body for got in mails), "who has the token has read the mailbox"
    before = table.dump()
    (again,) = table.answer("bob", "yes", mail=held)
    assert again.refuses
    assert table.dump() == before


SPOILT = [
    "loops move 102 bob bobpass C5",
    "loops mvoe bob bobpass 102 C5",
    "cross move 101 bob bobpass",
    "lops move 102 bob bobpass C5",
    "102 bob bobpass C5",
    "change passwrd bob bobpass Sesamepass",
    "signoff bob bobpass please",
    "login bob bobpass",
    "bob bobpass",
]
"""Lines that are no commands; their writer is told about them."""


@pytest.mark.parametrize(
    "text",
    [
        "kibitz\nalice plays badly",
        "kibitz alice plays badly",
        "message carrol\nalice plays badly",
        "message carol alice plays badly",
        "message carol\nalice plays badly",
        "chat 999\nalice plays badly",
        "cross note 999\nalice plays badly",
    ],
)
@pytest.mark.parametrize("start", ["C4", "101 C4", "101 C4\n102 C4"])
def test_words_for_others_never_reach_the_opponent(start: str, text: str, table: House) -> None:
    table.player("carol")
    proof = VOUCHED.format("example.net")
    mails = (
        table.answer("bob", f"C4\n{text}", 101)
        if start == "C4"
        else table.send("bob", "", f"{start}\n{text}", Authentication_Results=proof)
    )
    assert any("bob played C4" in got.body for got in mails if got.address == address_of("alice"))
    assert not [got for got in mails if got.address == address_of("alice") and "badly" in got.body]
    subjects = [got["Subject"] for got in table.mailboxes[address_of("bob")]]
    if "pbm: was that you?" in subjects:
        mails += table.answer("bob", "yes", mail=subjects.index("pbm: was that you?") + 1)
    assert any("badly" in got.body for got in mails), "they reach somebody, or come back"


@pytest.mark.parametrize("text", ["Nice!\nBob Smith", "Well, bob thinks otherwise.", "Take your time.", "bob"])
def test_a_comment_in_prose_is_left_alone(text: str, table: House) -> None:
    mails = table.answer("bob", f"C4\n\n{text}", 101)
    assert any(all(f"  {line}\n" in got.body for line in text.splitlines()) for got in mails)


@pytest.mark.parametrize(
    "line",
    [
        *SPOILT,
        "cross challenge bob bobpass alice",
        "cross challenge alice bob bobpass",
        "resetpassword bob bobpass",
    ],
)
def test_no_password_is_quoted_in_a_refusal(line: str, table: House) -> None:
    (got,) = table.send("bob", line)
    assert "bobpass" not in got.body


@pytest.mark.parametrize(
    "text",
    ["alice says hello", "bob is in town on Monday, shall we meet?", "My password is a secret, haha.", "Bob Smith"],
)
def test_what_is_no_password_is_passed_on_to_the_letter(text: str, table: House) -> None:
    mails = table.answer("bob", f"C4\n\n{text}", 101)
    assert any(got.address == address_of("alice") and f"  {text}\n" in got.body for got in mails)


def test_nobody_puts_words_into_the_mouth_of_another_by_a_challenge(table: House) -> None:
    forged = "mx.evil.example; dkim=pass header.d=example.net"
    mails = table.send("alice", "cross challenge me bob", "You play badly.", Authentication_Results=forged)
    assert not any("You play badly." in got.body for got in mails)
    proof = VOUCHED.format("example.net")
    mails = table.send("alice", "cross challenge me bob", "You play well.", Authentication_Results=proof)
    assert any("alice writes:\n\n  You play well." in got.body for got in mails)


def test_a_mail_full_of_guesses_costs_no_more_than_a_few(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    verify = table.service.tools.passwords.verify

    def counting(pairs: Iterable[tuple[str, str]]) -> list[bool]:
        wanted = list(pairs)
        checked.extend(password for password, _ in wanted)
        return verify(wanted)

    monkeypatch.setattr(table.service.tools.passwords, "verify", counting)
    before = table.dump()
    lines = [*(f"cross chat 101 bob guess{number}" for number in range(9)), "cross move 101 bob bobpass C4"]
    table.send("mallory", "multiple", "\n".join(lines))
    assert checked == ["guess0", "guess1", "guess2"]
    assert table.dump() == before
    checked.clear()
    table.answer("bob", "C4", 101)
    assert checked == [], "an answer to a board needs no password"


def test_who_writes_a_password_speaks_for_themselves_whatever_they_answer(table: House) -> None:
    to = table.mailboxes[address_of("alice")][-1]["Reply-To"]
    command = "cross move 101 bob bobpass C4"
    mails = table.send("bob@work.example", "Re: hi", command, to=to, In_Reply_To="<unknown@work.example>")
    assert any("bob played C4" in got.body for got in mails)
    assert not [got for got in mails if "bobpass" in got.body]
    faulty = table.send("eve@work.example", "Re: hi", "cross move 101 bob bobpass", to=to)
    assert not [got for got in faulty if "bobpass" in got.body]


@pytest.mark.parametrize("text", ["password geheim12", "signup zed geheim12", "cross move 101 bob geheim12 C4"])
def test_no_password_is_repeated_where_subject_and_text_differ(text: str, table: House) -> None:
    to = table.mailboxes[address_of("bob")][-1]["Reply-To"]
    (got,) = table.send("bob", "E5", text, to=to)
    assert got.refuses
    assert "geheim12" not in got.body


def test_nobodys_password_is_quoted_to_the_owner_of_a_seat(table: House) -> None:
    to = table.mailboxes[address_of("bob")][-1]["Reply-To"]
    assert table.send("carol@else.example", "Re: hi", "C4", to=to), "by itself the owner is asked"
    assert table.send("carol@else.example", "Re: hi", "C4, my password is geheim12", to=to) == []
