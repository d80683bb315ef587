"""Mails that must not be answered: bounces, complaints, automatic mail, too many; and what they teach the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from pbm.domain.configuration import Limits
from pbm.domain.mail import Arrival, Delivery, Queued
from pbm.server import Arriving, Settings
from pbm.server.rows import NOT_ANSWERED
from pbm.server.undone_mails import Bouncing
from pbm.store.players import FORGOTTEN_AFTER
from tests.conversation import ROBOT, Got, House, address_of

OPERATOR = "root@example.org"
VOUCHED = "mx.example.org; dkim=pass header.d=example.net"


@pytest.fixture
def inn(new_house: Callable[..., House]) -> House:
    """alice and bob at board 101, and an operator; bob is to move."""
    house = new_house(Settings(ROBOT, operator=OPERATOR))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    return house


def return_path(house: House, got: Got) -> str:
    """The envelope's sender of a mail of ours."""
    return house.service.tools.composer.return_path(got["Message-ID"].strip("<>").partition("@")[0])


def bounce(
    house: House, got: Got, status: str = "5.1.1", action: str = "failed", to: str = "", sender: str = ""
) -> list[Got]:
    """Bounce a mail of ours. to: the recipient instead of the return path. sender: instead of the null path."""
    path = return_path(house, got)
    text = (
        "From: MAILER-DAEMON@mx.example.net\r\n"
        f"To: {to or path}\r\n"
        "Subject: Undelivered Mail Returned to Sender\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="=b"\r\n\r\n'
        "--=b\r\n\r\nSorry.\r\n--=b\r\nContent-Type: message/delivery-status\r\n\r\n"
        "Reporting-MTA: dns; mx.example.net\r\n\r\n"
        f"Final-Recipient: rfc822; {got.address}\r\nAction: {action}\r\nStatus: {status}\r\n"
        f"\r\n--=b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {got['Message-ID']}\r\n\r\n--=b--\r\n"
    )
    return house.deliver(Arriving(sender, (to or path,), text.encode()))


def board_mails(house: House, number: int) -> list[Got]:
    """Mails to bob, each about a board that alice has just started."""
    mails = [house.send("alice", "cross challenge alice bob") for _ in range(number)]
    return [got for each in mails for got in each if got.address == address_of("bob")]


def unreachable(house: House, userid: str) -> bool:
    with house.service.store.read() as tx:
        player = tx.players.find(userid)
        assert player is not None
        return tx.players.unreachable(player.id)


def addresses(mails: list[Got]) -> list[str]:
    return [got.address for got in mails]


def test_an_address_that_fails_again_and_again_gets_no_more_mail(inn: House) -> None:
    first, second, third = board_mails(inn, 3)
    assert bounce(inn, first) == []
    assert inn.inbox_row.state is Arrival.IGNORED
    assert inn.inbox_row.reason == "bounce: delivery status notification; bob@example.net, for good, 1 of 3"
    assert bounce(inn, second) == []
    assert not unreachable(inn, "bob")
    told, other = bounce(inn, third)
    assert told.address == OPERATOR
    # whoever is to move: what waits for the address on any of these boards is lost
    assert (other.address, other["Subject"]) == (address_of("alice"), "pbm: 4 boards, bob was not reached")
    assert "Emails about boards 101, 102, 103, 104 did not reach bob" in " ".join(other.body.split())
    assert "for this reason: 5.1.1." in " ".join(told.body.split())
    assert "whose clocks stand still for 30 days at most: on boards 101, 102, 103, 104." in told.body.replace("\n", " ")
    assert "pbm player resume bob" in told.body
    assert "does not learn of moves" in told.body
    assert unreachable(inn, "bob")
    assert addresses(inn.send("alice", "cross challenge alice bob")) == [address_of("alice")]
    assert bounce(inn, inn.mailboxes[address_of("bob")][0]) == []


def test_a_mail_counts_once_and_only_by_its_return_path(inn: House) -> None:
    first, second, _ = board_mails(inn, 3)
    for _ in range(3):
        bounce(inn, first)
    assert inn.inbox_row.reason.endswith("bob@example.net, for good, 1 of 3")
    bounce(inn, second, to=ROBOT.address)
    assert inn.inbox_row.reason.endswith("about no email of ours that is known")
    bounce(inn, second)
    assert inn.inbox_row.reason.endswith("bob@example.net, for good, 2 of 3")


@pytest.mark.parametrize(
    ("status", "action"),
    [("4.4.1", "delayed"), ("5.2.2", "failed"), ("5.7.26", "failed"), ("5.1.8", "failed"), ("4.2.2", "failed")],
)
def test_what_fails_for_now_suspends_nobody(inn: House, status: str, action: str) -> None:
    mails = board_mails(inn, 4)
    for got in mails:
        bounce(inn, got, status, action)
        assert inn.inbox_row.reason.endswith("bob@example.net, for now")
    assert not unreachable(inn, "bob")
    bounce(inn, mails[0])
    assert inn.inbox_row.reason.endswith("for good, 1 of 3")


def test_failures_long_ago_are_forgotten(inn: House) -> None:
    first, second, third = board_mails(inn, 3)
    bounce(inn, first)
    bounce(inn, second)
    inn.now += FORGOTTEN_AFTER
    bounce(inn, third)
    assert inn.inbox_row.reason.endswith("1 of 3")


def suspended(house: House) -> None:
    for got in board_mails(house, 3):
        bounce(house, got)
    assert unreachable(house, "bob")


@pytest.mark.parametrize(
    "sign",
    [
        lambda house: house.answer("bob", "D5", 101),
        lambda house: house.send("bob", "cross move 101 bob bobpass D5"),
        lambda house: house.send("bob", "games", Authentication_Results=VOUCHED),
        lambda house: house.answer("bob@example.com", "D5", 101, of="bob"),
    ],
    ids=["token", "password", "vouched for", "token from elsewhere"],
)  # fmt: skip
def test_who_writes_gets_mail_again(inn: House, sign: Callable[[House], list[Got]]) -> None:
    suspended(inn)
    assert address_of("bob") in addresses(sign(inn))
    assert not unreachable(inn, "bob")
    (fresh,) = board_mails(inn, 1)
    bounce(inn, fresh)
    assert inn.inbox_row.reason.endswith("1 of 3")


def test_who_only_claims_to_be_them_changes_nothing_until_they_answer(inn: House) -> None:
    suspended(inn)
    (asked,) = inn.send("bob", "cross move 101 D5")
    assert asked["Subject"] == "pbm: was that you?"
    inn.send("x@example.com", "cross move 101 bob wrongpass D5")
    assert unreachable(inn, "bob")
    assert address_of("bob") in addresses(inn.answer("bob", "yes"))
    assert not unreachable(inn, "bob")


@pytest.mark.parametrize("words", ["reset password", "reset password bob", "erase me"])
def test_who_asks_for_a_mail_gets_it_though_none_reached_them_before(words: str, inn: House) -> None:
    """The answer says that a mail goes to the addresses of the account."""
    suspended(inn)
    got, *_ = inn.send("bob", words)
    assert got["Subject"] in ("pbm: choose a password", "pbm: erase you?")


def test_another_address_of_theirs_goes_on(inn: House) -> None:
    with inn.service.store.write() as tx:
        bob = tx.players.find("bob")
        assert bob is not None
        tx.players.add_address(bob.id, "bob@example.com", inn.now, confirmed=True)
    suspended_one = board_mails(inn, 3)
    told = [mail for got in suspended_one for mail in bounce(inn, got)]
    assert "No other address" not in told[0].body
    assert not unreachable(inn, "bob")
    mails = inn.answer("bob@example.com", "D5", 101, of="bob")
    assert sorted(addresses(mails)) == [address_of("alice"), "bob@example.com"]


def test_nothing_is_begun_with_somebody_whom_no_mail_reaches(inn: House) -> None:
    inn.player("carol")
    inn.send("bob", "loops seek bob bobpass 2")
    board = inn.game("cross -size=4 bob alice", ["D4", "D5", "resign!"])
    for got in board_mails(inn, 3):
        bounce(inn, got)
    assert unreachable(inn, "bob")
    for got in inn.answer("alice", "rematch", board, vouched=True):
        assert "bob gets no mail at present" in " ".join(got.body.split())
    for words in ("cross challenge carol bob", "cross challenge me bob@example.net", "take 1"):
        (got,) = inn.send("carol", words, Authentication_Results=VOUCHED)
        assert got.refuses
        assert "bob gets no mail at present, because all of it comes back" in " ".join(got.body.split())
    (got,) = inn.send("carol", "message carol carolpass bob", "Are you there?")
    assert "bob gets no mail at present" in got.body
    inn.send("bob", "games", Authentication_Results=VOUCHED)
    assert inn.send("carol", "take 1", Authentication_Results=VOUCHED)[0].board


def test_a_bounce_to_nobody_we_know_or_from_somebody_is_not_answered(inn: House) -> None:
    (got,) = inn.send("stranger@example.com", "help")
    for _ in range(4):
        assert bounce(inn, got, sender="eve@example.com") == []
    assert inn.inbox_row.reason.endswith("which is nobody's")
    other = inn.mail("eve@example.com", "help", to="bounce+nosuchkey@example.org")
    assert inn.deliver(other) == []
    assert inn.inbox_row.reason == "bounce: came to a return path; about no email of ours that is known"
    with inn.service.store.read() as tx:
        assert tx.inbox.verdicts(NOT_ANSWERED) == {"bounce": 5}


def queued_to(house: House, address: str) -> list[Queued]:
    with house.service.store.read() as tx:
        return [queued for queued in tx.outbox.latest(None, 100) if queued.mail.address == address]


def give_up(house: House, queued: Queued, reason: str, *, is_refused: bool) -> list[Got]:
    """Give a mail up as the delivering process does; returns what is written about it."""
    with house.service.store.write() as tx:
        tx.outbox.fail(queued.id, house.now, reason)
        Bouncing(house.service.tools).given_up(tx, queued, reason, is_refused)
    return house.collect()


def test_a_refusal_by_the_next_server_counts_as_a_bounce(inn: House) -> None:
    board_mails(inn, 5)
    told = [
        got
        for queued in queued_to(inn, address_of("bob"))[:3]
        for got in give_up(inn, queued, "550 5.1.1 no such user", is_refused=True)
    ]
    assert unreachable(inn, "bob")
    assert {queued.state for queued in queued_to(inn, address_of("bob"))} == {Delivery.FAILED}
    assert [got["Subject"] for got in told if got.address == OPERATOR] == [
        "pbm: board 106, an email was given up",
        "pbm: board 105, an email was given up",
        "pbm: no more mail to bob@example.net",  # which names all boards
    ]


@pytest.mark.parametrize("reason", ["554 5.7.1 spam", "connection refused"])
def test_whoever_waits_for_a_move_learns_once_that_a_mail_about_it_was_given_up(inn: House, reason: str) -> None:
    """Whatever was wrong with it; the operator learns it, too."""
    lost, earlier = queued_to(inn, address_of("bob"))[:2]
    assert lost.mail.board == 101
    told = give_up(inn, lost, reason, is_refused=False)
    assert {got.address: got["Subject"] for got in told} == {
        address_of("alice"): "pbm: board 101, bob was not reached",
        OPERATOR: "pbm: board 101, an email was given up",
    }
    assert give_up(inn, earlier, reason, is_refused=False) == []
    inn.answer("bob", "resign", 101)
    (over,) = (queued for queued in queued_to(inn, address_of("alice"))[:1])
    assert give_up(inn, over, reason, is_refused=False) == []


def test_each_mail_that_is_given_up_is_told_of_unless_that_is_still_to_be_sent(inn: House) -> None:
    """A week ago the operator may have mended what was wrong then."""
    subjects = {"pbm: board 101, bob was not reached", "pbm: board 101, an email was given up"}
    for _ in range(2):
        (lost, *_) = queued_to(inn, address_of("bob"))
        assert {got["Subject"] for got in give_up(inn, lost, "554 5.7.1 spam", is_refused=False)} == subjects
        with inn.service.store.write() as tx:
            tx.outbox.sent([each.id for each in tx.outbox.latest(Delivery.QUEUED, 100)], inn.now)
        inn.answer("bob", "show", 101)


def test_who_was_reached_by_another_mail_about_the_board_is_not_said_to_be_lost(inn: House) -> None:
    """With two addresses that fail, neither stands for the other."""
    with inn.service.store.write() as tx:
        bob = tx.players.find("bob")
        assert bob is not None
        tx.players.add_address(bob.id, "bob@work.example", inn.now, confirmed=True)
    for is_reached in (True, False):
        inn.answer("alice", "undo", 101)
        lost, other = queued_to(inn, address_of("bob"))[0], queued_to(inn, "bob@work.example")[0]
        if is_reached:
            with inn.service.store.write() as tx:
                tx.outbox.sent([other.id], inn.now)
        assert bool(give_up(inn, lost, "mailbox full", is_refused=False)) is not is_reached
        inn.now += timedelta(minutes=1)
        inn.answer("bob", "undo", 101)


def test_who_complains_gets_nothing_optional_any_more(inn: House) -> None:
    inn.player("carol")
    inn.send("carol", "cross subscribe 101 carol carolpass")
    inn.send("carol", "cross subscribe all carol carolpass")
    (_, _, got) = inn.answer("bob", "D5", 101)
    assert got.address == address_of("carol")
    complaint = (
        "From: fbl@provider.example\r\nTo: abuse@example.org\r\nSubject: complaint\r\n"
        'Content-Type: multipart/report; report-type=feedback-report; boundary="=b"\r\n\r\n'
        "--=b\r\n\r\nHello.\r\n--=b\r\nContent-Type: message/feedback-report\r\n\r\n"
        "Feedback-Type: abuse\r\nUser-Agent: x/1\r\nVersion: 1\r\n\r\n"
        f"--=b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: {got['Message-ID']}\r\n\r\n--=b--\r\n"
    )
    assert inn.deliver(Arriving("fbl@provider.example", ("abuse@example.org",), complaint.encode())) == []
    (told,) = inn.deliver(Arriving("fbl@provider.example", (return_path(inn, got),), complaint.encode()))
    assert inn.deliver(Arriving("fbl@provider.example", (return_path(inn, got),), complaint.encode())) == []
    assert told.address == OPERATOR
    assert "carol" in told.body
    assert address_of("carol") not in addresses(inn.answer("alice", "C4", 101))
    assert address_of("carol") not in addresses(inn.send("bob", "broadcast bob bobpass", "Hello all!"))
    assert address_of("carol") in addresses(inn.send("alice", "loops challenge alice carol"))


@pytest.mark.parametrize("name", ["postmaster", "abuse", "Abuse"])
def test_mail_to_postmaster_or_abuse_waits_for_the_operator(name: str, inn: House) -> None:
    (told,) = inn.send("eve@example.com", "help", to=f"{name}@example.org")
    assert told.address == OPERATOR
    assert f'has written to {name.lower()}, with the subject "help".' in told.body
    assert "pbm inbox show" in told.body
    assert inn.inbox_row.state is Arrival.PARKED
    assert inn.inbox_row.reason.startswith("postmaster: ")


def test_mail_to_postmaster_without_a_domain_is_for_the_operator(inn: House) -> None:
    assert [name for name in ("postmaster", "Postmaster", "abuse", "alice", "") if inn.service.is_ours(name)] == [
        "postmaster", "Postmaster",
    ]  # fmt: skip
    raw = inn.mail("eve@example.com", "are you there?", to="postmaster@example.org").raw
    (told,) = inn.deliver(Arriving("eve@example.com", ("Postmaster",), raw))
    assert told.address == OPERATOR
    assert "has written to postmaster" in told.body


def robot_answers(house: House, name: str, text: str, most: int) -> int:
    """Let a program answer every mail it gets, unmarked, as a rule of Apple Mail does, until none comes."""
    answered = 0
    box = house.mailboxes[address_of(name)]
    while answered < len(box):
        answered += 1
        assert answered <= most, "the robots talk for ever"
        house.answer(name, text, mail=answered)
        house.now -= timedelta(minutes=1)
    return answered


@pytest.mark.parametrize("text", ["I am away until Monday.", "help", "games", "show", "reset password bob", "yes"])
def test_a_robot_that_answers_us_comes_to_an_end(new_house: Callable[..., House], text: str) -> None:
    """The usual limits end "games"; for the others low ones do, which are reached sooner. Questions for a
    password have a limit of their own.
    """
    table = new_house(None if text == "games" else Settings(ROBOT, Limits(answers_per_hour=8)))
    table.players("alice", "bob")
    table.game("cross -size=4 alice bob", ["D4"])
    assert robot_answers(table, "bob", text, 150 if text == "games" else 30) >= 1
    reason = table.inbox_row.reason
    assert reason.startswith("limit: ") or not reason
    table.now += timedelta(hours=2)
    assert not [got for got in table.answer("bob", "D5", 101) if got.refuses]


def test_two_robots_at_both_ends_of_a_board_come_to_an_end(new_house: Callable[..., House]) -> None:
    """Each also answers what it is told because of the other: boards, chat, messages passed on."""
    table = new_house(Settings(ROBOT, Limits(answers_per_hour=20, messages_per_day=8)))
    table.players("alice", "bob")
    table.game("cross -size=4 alice bob", ["D4"])
    table.send("alice", "chat 101 alice alicepass", "Hello!")
    table.send("alice", "message alice alicepass bob", "Hello!")
    boxes = {userid: table.mailboxes[address_of(userid)] for userid in ("alice", "bob")}
    answered = dict.fromkeys(boxes, 0)
    while waiting := [userid for userid, box in boxes.items() if answered[userid] < len(box)]:
        for userid in waiting:
            answered[userid] += 1
            assert answered[userid] < 60, "the robots talk for ever"
            table.answer(userid, "I am away until Monday.", mail=answered[userid])
            table.now -= timedelta(minutes=1)
    assert len(table.answer("bob", "D5", 101, mail=2)) == 2


def test_the_inviter_hears_once_of_an_invitation_that_comes_back_and_it_stays_open(inn: House) -> None:
    inn.answer("alice", "hex challenge me friend@home.example", 101, vouched=True)
    inn.answer("alice", "yes")
    (invitation,) = inn.mailboxes["friend@home.example"]
    assert bounce(inn, invitation, "4.2.2", "delayed") == []
    (told,) = bounce(inn, invitation)
    assert (told.address, told["Subject"]) == (address_of("alice"), "pbm: invitation undelivered")
    assert "could not be delivered to friend@home.example" in told.body
    assert inn.inbox_row.reason.endswith("friend@home.example, which was invited")
    assert bounce(inn, invitation) == []
    assert any("A new game" in got.body for got in inn.answer("friend@home.example", "yes, fiona"))


def test_another_mail_to_an_invited_address_that_comes_back_says_nothing_of_the_invitation(inn: House) -> None:
    (greeting,) = inn.send("friend@home.example", "who are you?")
    inn.answer("alice", "hex challenge me friend@home.example", 101, vouched=True)
    inn.answer("alice", "yes")
    assert bounce(inn, greeting) == []
    assert inn.inbox_row.reason.endswith("friend@home.example, which is nobody's")


def test_a_robot_at_an_address_of_nobody_gets_few_answers(house: House) -> None:
    house.send("robot@example.com", "lunch?")
    assert robot_answers(house, "robot@example.com", "I am away until Monday.", 5) == 3


def test_a_robot_whose_address_was_invited_comes_to_an_end(table: House) -> None:
    table.answer("alice", "cross challenge me robot@example.com", 101, vouched=True)
    table.answer("alice", "yes")
    if table.mailboxes.get("robot@example.com"):
        assert robot_answers(table, "robot@example.com", "I am away until Monday, dear friends.", 10) <= 5


def test_moves_are_played_and_told_however_many_answers_went_out(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(answers_per_hour=2)))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob", ["D4"])
    got = [house.answer("bob", "Z9", 101) for _ in range(4)]
    assert [len(mails) for mails in got] == [1, 1, 1, 0]
    assert got[2][0]["Subject"] == "pbm: no answers for a while"
    assert house.inbox_row.state is Arrival.HANDLED
    assert house.inbox_row.reason.startswith("limit: not answered. Too much for now: answers to emails from one")
    assert len(house.answer("bob", "D5", 101)) == 2
    with house.service.store.read() as tx:
        assert tx.inbox.verdicts(NOT_ANSWERED) == {"limit": 2}
    house.now += timedelta(hours=1)
    assert len(house.answer("bob", "Z9", 101)) == 1


def until(got: Got) -> datetime:
    """The time that a last mail names for the next answers."""
    found = re.search(r"until (\d{4}-\d\d-\d\d \d\d:\d\d) UTC", got.body.replace("\n", " "), re.IGNORECASE)
    assert found, got.body
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC)


def test_a_player_who_gets_no_more_answers_is_told_so_once_and_until_when(table: House) -> None:
    got = []
    for _ in range(24):
        got.append(table.send("bob", "cross show 101"))
        table.now -= timedelta(minutes=1)
    assert [len(mails) for mails in got] == [1] * 21 + [0] * 3
    (last,) = got[20]
    assert "cross show 101" not in last.body
    assert len(table.answer("bob", "show", 101)) == 1, "an answer to a mail of ours is none of those"
    table.now = until(last) - timedelta(minutes=2)
    assert table.send("bob", "cross show 101") == []
    table.now = until(last)
    subjects = list[str]()
    for _ in range(20):
        subjects += [got["Subject"] for got in table.send("bob", "cross show 101")]
        table.now -= timedelta(minutes=1)
    assert len(subjects) >= 10
    assert subjects.index("pbm: no answers for a while") == len(subjects) - 1


@pytest.mark.parametrize("words", ["block bob", "revoke", "reset password", "message bob", "withdraw bob"])
def test_nobody_is_told_in_the_end_that_commands_are_done_which_are_not(
    words: str, new_house: Callable[..., House]
) -> None:
    house = new_house(Settings(ROBOT, Limits(unproven_answers_per_hour=4)))
    house.players("alice", "bob")
    told = [house.send("alice", words)[-1:] for _ in range(10)]
    (last,) = (got for mails in told for got in mails if got["Subject"] == "pbm: no answers for a while")
    assert "Nothing was done about the last one" in " ".join(last.body.split())


def test_whoever_reads_help_as_a_player_reads_all_they_want(table: House) -> None:
    got = [table.send("bob", "help cross" if number % 2 else "Help", "thanks") for number in range(30)]
    assert [mails[0]["Subject"] for mails in got] == ["pbm: help", "pbm: help cross"] * 15
    assert table.send("bob", "cross show 101")[0].board == 101
    assert all(table.answer("bob", "help cross") for _ in range(40)), "answers show who reads"


def test_a_stranger_who_gets_no_more_answers_gets_no_last_one_either(house: House) -> None:
    got = [house.send("robot@example.com", "help cross") for _ in range(5)]
    assert [len(mails) for mails in got] == [1, 0, 0, 0, 0]


def test_a_new_process_remembers_the_answers_of_the_last_hour(table: House) -> None:
    again = House(table.url, Settings(ROBOT, Limits(unproven_answers_per_hour=2)))
    again.now = table.now
    again.service.tools.composer.make_key = iter("abcdefgh").__next__
    table.send("bob", "cross show 101")
    again.now = table.now
    mail = table.mail("bob", "cross show 101")
    for number in range(2):
        again.service.accept(
            [Arriving(mail.mail_from, mail.recipients, mail.raw.replace(b"<mail-", b"<m%d-" % number))]
        )
        again.service.handle()
    assert again.inbox_row.reason.startswith("limit: ")
    again.service.close()


def test_whoever_only_knows_message_ids_forges_no_bounce(inn: House) -> None:
    """Ids stand in References of answers that went to others, too; three bounces would silence the opponent."""
    for got in board_mails(inn, 4):
        key = got["Message-ID"].strip("<>").partition("@")[0]
        bounce(inn, got, to=ROBOT.address)
        bounce(inn, got, to=f"bounce+{key}@example.org")
        bounce(inn, got, to=f"bounce+{key}.000000000000@example.org")
    assert not unreachable(inn, "bob")
    assert address_of("bob") in addresses(inn.send("alice", "cross challenge alice bob"))
