"""Answers to From instead of Reply-To: the id of the answered mail is as good as its token, for its reader only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conversation import Got, House, address_of, record

EVE = "eve@elsewhere.example"


def answer(house: House, sender: str, text: str, got: Got, *, envelope: str = "", **headers: str) -> list[Got]:
    """An answer to From, by the id of a mail. envelope: its sender by SMTP, if not that of its From."""
    told = headers or {"In_Reply_To": got["Message-ID"]}
    mail = house.mail(sender, f"Re: {got['Subject']}", text, **told)
    return house.deliver(replace(mail, mail_from=address_of(envelope or sender)))


def last(house: House, player: str) -> Got:
    return house.mailboxes[address_of(player)][-1]


def test_an_answer_to_from_plays_at_once(table: House) -> None:
    mails = answer(table, "bob", "C4", last(table, "bob"))
    assert any("bob played C4" in got.body for got in mails)
    assert record(table) == ["D4", "C4"]


def test_the_last_reference_does_where_nothing_else_was_kept(table: House) -> None:
    got = last(table, "bob")
    answer(table, "bob", "C4", got, References=f"{got['References']} {got['Message-ID']}")
    assert record(table) == ["D4", "C4"]


def test_it_is_good_for_what_the_token_is_good_for(table: House) -> None:
    (got,) = answer(table, "bob", "set mail text", last(table, "bob"))
    assert got["Subject"] == "pbm: was that you?", "it was the token of a seat"


def test_another_sender_who_has_the_mail_plays_nothing(table: House) -> None:
    table.player("carol")
    got, before = last(table, "bob"), table.dump()
    answer(table, EVE, "C4", got)
    answer(table, "carol", "C4", got)
    assert table.dump() == before


@pytest.mark.parametrize("envelope", [EVE, "alice"])
def test_a_sender_who_only_writes_the_players_address_into_from_is_asked(table: House, envelope: str) -> None:
    (got,) = answer(table, "bob", "C4", last(table, "bob"), envelope=envelope)
    assert got["Subject"] == "pbm: was that you?"
    assert record(table) == ["D4"]


@pytest.mark.parametrize("verdict", ["spf=fail smtp.mailfrom=bob@example.net", "dmarc=fail header.from=example.net"])
def test_an_envelope_that_our_server_does_not_believe_counts_for_nothing(table: House, verdict: str) -> None:
    got = last(table, "bob")
    headers = {"In_Reply_To": got["Message-ID"], "Authentication_Results": f"mx.example.org; {verdict}"}
    (asked,) = answer(table, "bob", "C4", got, **headers)
    assert asked["Subject"] == "pbm: was that you?"


def test_a_signature_of_the_players_domain_does_as_well_as_the_envelope(table: House) -> None:
    got = last(table, "bob")
    headers = {
        "In_Reply_To": got["Message-ID"],
        "Authentication_Results": "mx.example.org; dkim=pass header.d=example.net",
    }
    answer(table, "bob", "C4", got, envelope="bounces@relay.example", **headers)
    assert record(table) == ["D4", "C4"]


def test_a_mail_of_another_time_plays_nothing_now(table: House) -> None:
    old = last(table, "bob")
    answer(table, "bob", "C4", old)
    answer(table, "alice", "C3", last(table, "alice"))
    (got,) = answer(table, "bob", "B3", old)
    assert "answers an earlier state of the board" in got.body
    assert record(table) == ["D4", "C4", "C3"]


def test_an_id_that_nobody_gave_out_proves_nothing(table: House) -> None:
    got = last(table, "bob")
    (asked,) = answer(table, "bob", "C4", got, In_Reply_To="<key9999@example.org>")
    assert asked["Subject"] == "pbm: was that you?"


def test_somebody_signs_up_and_answers_a_question_without_the_plus_address(house: House) -> None:
    house.send(EVE, "signup eve passw0rd")
    answer(house, EVE, "yes", last(house, EVE))
    house.send(EVE, "set mail text")
    (got,) = answer(house, EVE, "yes", last(house, EVE))
    assert not got.refuses, got.text


def test_by_an_id_that_others_may_know_nobody_resigns_without_being_asked(table: House) -> None:
    """Whoever got an answer of bob's in copy knows the id it names, and can forge both From and MAIL FROM."""
    board = table.game("cross -size=4 alice bob", ("D4", "C4", "E5"))
    known = last(table, "bob")
    for _ in range(2):
        (asked,) = answer(table, "bob", "resign!", known)
        assert "Really resign?" in asked.body
    mails = answer(table, "bob", "resign", asked)
    assert any(f"Board {board}" in got["Subject"] and "bob resigned" in got.body for got in mails)
