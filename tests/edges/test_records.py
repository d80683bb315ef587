"""What the DNS says about a domain, and what nobody can tell."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import dns.message
import dns.resolver
import dns.rrset
import pytest

from pbm.edges.records import Ask, SenderNames, Unanswered, ask_dns, look_up
from pbm.edges.signing import new_keys, signing_keys
from tests.patience import PATIENCE_SECONDS

DOMAIN = "pbm.games.org"
KEYS = new_keys()
RSA, ED25519 = signing_keys("k1", KEYS)
GOOD = {
    (DOMAIN, "MX"): ["mail.games.org"],
    ("mail.games.org", "A"): ["192.0.2.1"],
    (DOMAIN, "TXT"): ["v=spf1 mx -all", "something=else"],
    (f"k1._domainkey.{DOMAIN}", "TXT"): [RSA.record],
    (f"k1-ed25519._domainkey.{DOMAIN}", "TXT"): [ED25519.record],
    (f"_dmarc.{DOMAIN}", "TXT"): ["v=DMARC1; p=none"],
}
OURS = SenderNames(DOMAIN, DOMAIN, "k1", KEYS)
Records = Mapping[tuple[str, str], Sequence[str]]


def answering(records: Records) -> Ask:
    return lambda name, kind: records.get((name, kind), [])


def verdicts(records: Records, identity: SenderNames = OURS) -> dict[str, str]:
    return {finding.check: f"{finding.verdict}: {finding.reason}" for finding in look_up(identity, answering(records))}


def test_a_domain_that_is_set_up_passes() -> None:
    assert [words.partition(":")[0] for words in verdicts(GOOD).values()] == ["OK"] * 5


@pytest.mark.parametrize(
    ("change", "check", "expected"),
    [
        ({(DOMAIN, "MX"): []}, "mx", "FAIL: mail for pbm.games.org has nowhere to go"),
        ({(DOMAIN, "MX"): [], (DOMAIN, "AAAA"): ["2001:db8::1"]}, "mx", "OK: "),
        ({(DOMAIN, "MX"): [""]}, "mx", "FAIL: pbm.games.org says that it takes no email"),
        ({("mail.games.org", "A"): []}, "mx", "FAIL: mail.games.org has no address"),
        ({(DOMAIN, "MX"): ["mail.games.org", "gone.games.org"]}, "mx", "WARN: gone.games.org has no address"),
        ({(DOMAIN, "TXT"): ["v=spf10 mx"]}, "spf", "WARN: nothing says which machines"),
        ({(DOMAIN, "TXT"): ["v=spf1 mx", "v=spf1 -all"]}, "spf", "FAIL: 2 SPF records"),
        ({(DOMAIN, "TXT"): ["v=spf1 +all"]}, "spf", "FAIL: "),
        ({(DOMAIN, "TXT"): ["v=spf1 mx all"]}, "spf", "FAIL: "),
        ({(DOMAIN, "TXT"): ["v=spf1 include:all.example ~all"]}, "spf", "OK: "),
        ({(f"k1._domainkey.{DOMAIN}", "TXT"): []}, "dkim rsa", "FAIL: there is no key"),
        ({(f"k1._domainkey.{DOMAIN}", "TXT"): ["v=DKIM1; p=AAAA"]}, "dkim rsa", "FAIL: the key at"),
        ({(f"k1._domainkey.{DOMAIN}", "TXT"): ["p="]}, "dkim rsa", "FAIL: the key at"),
        ({(f"k1-ed25519._domainkey.{DOMAIN}", "TXT"): []}, "dkim ed25519", "FAIL: there is no key"),
        ({(f"_dmarc.{DOMAIN}", "TXT"): []}, "dmarc", "WARN: "),
        ({(f"_dmarc.{DOMAIN}", "TXT"): [], ("_dmarc.games.org", "TXT"): ["v=DMARC1; p=reject"]}, "dmarc", "OK: "),
        ({(f"_dmarc.{DOMAIN}", "TXT"): ["v=DMARC1; p=none"] * 2}, "dmarc", "FAIL: 2 records"),
    ],
)
def test_what_is_wrong_is_named(change: Records, check: str, expected: str) -> None:
    assert verdicts({**GOOD, **change})[check].startswith(expected)


def test_a_key_that_is_wrapped_is_the_same_key() -> None:
    shown = RSA.record.partition("p=")[2]
    wrapped = f"{shown[:100]} {shown[100:]}"
    records = {**GOOD, (f"k1._domainkey.{DOMAIN}", "TXT"): [f"v=DKIM1;p={wrapped};"]}
    assert verdicts(records)["dkim rsa"].startswith("OK")


def test_without_a_key_nothing_is_asked_of_it() -> None:
    assert verdicts(GOOD, SenderNames(DOMAIN, DOMAIN, "k1", None))["dkim"].startswith("WARN: we do not sign")


@pytest.mark.parametrize("domain", ["localhost", "example.org", "pbm.example", "box.local"])
def test_a_name_that_nobody_can_look_up_is_not_asked_for(domain: str) -> None:
    def ask(name: str, kind: str) -> list[str]:
        raise AssertionError(name)

    (finding,) = look_up(SenderNames(domain, domain, "k1", None), ask)
    assert (finding.check, finding.verdict) == ("dns", "WARN")


def test_offline_one_question_is_enough() -> None:
    asked = []

    def ask(name: str, kind: str) -> list[str]:
        asked.append(name)
        raise Unanswered("no network")

    (finding,) = look_up(SenderNames(DOMAIN, DOMAIN, "k1", None), ask)
    assert (finding.check, finding.verdict) == ("dns", "WARN")
    assert "no network" in finding.reason
    assert len(asked) == 1


@contextmanager
def dns_server(answers: Mapping[str, str]) -> Iterator[dns.resolver.Resolver]:
    """A DNS server on loopback. answers: by type, what it says about every name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def serve() -> None:
            while True:
                asked, client = server.recvfrom(4096)
                if not asked:
                    return
                question = dns.message.from_wire(asked)
                reply = dns.message.make_response(question)
                (each,) = question.question
                kind = dns.rdatatype.to_text(each.rdtype)
                if kind in answers:
                    reply.answer.append(dns.rrset.from_text(each.name, 60, "IN", kind, answers[kind]))
                server.sendto(reply.to_wire(), client)

        thread = threading.Thread(target=serve)
        thread.start()
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], server.getsockname()[1]
        try:
            with pytest.MonkeyPatch.context() as patience:
                patience.setattr("pbm.edges.records._SECONDS", PATIENCE_SECONDS)
                yield resolver
        finally:
            server.sendto(b"", server.getsockname())
            thread.join()


def test_real_answers_are_read() -> None:
    with dns_server({"MX": "10 mail.games.org.", "TXT": '"v=DKIM1; p=AB" "CD"', "A": "192.0.2.1"}) as resolver:
        assert ask_dns(DOMAIN, "MX", resolver) == ["mail.games.org"]
        assert ask_dns(DOMAIN, "TXT", resolver) == ["v=DKIM1; p=ABCD"]
        assert ask_dns(DOMAIN, "A", resolver) == ["192.0.2.1"]
        assert ask_dns(DOMAIN, "AAAA", resolver) == []


def test_a_null_mx_is_one_without_name() -> None:
    with dns_server({"MX": "0 ."}) as resolver:
        assert ask_dns(DOMAIN, "MX", resolver) == [""]


def test_no_server_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbm.edges.records._SECONDS", 0.2)
    resolver = dns.resolver.Resolver(configure=False)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        resolver.nameservers, resolver.port = ["127.0.0.1"], silent.getsockname()[1]
        with pytest.raises(Unanswered):
            ask_dns(DOMAIN, "MX", resolver)
