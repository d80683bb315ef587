"""The configuration: which source counts, which mistakes are named, and that it explains itself."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.cli import loading, opening, places
from pbm.cli.loading import keys, load, masked, strange_variables, table_of, variable
from pbm.cli.opening import robot
from pbm.cli.output import Misconfigured
from pbm.cli.settings import Configuration, Delivery, DeliveryKind
from pbm.domain.configuration import place
from pbm.edges.transports import Maildir, SendmailCommand, Smarthost
from pbm.mailin import Robot
from tests.cli.conftest import Pbm


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def problems(text: str, tmp_path: Path) -> list[str]:
    with pytest.raises(Misconfigured) as refused:
        load(write(tmp_path / "t.toml", text), {})
    return refused.value.message.splitlines()


def test_nearest_source_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "t.toml", '[server]\ndomain = "file.org"\nlocal_part = "file"\nmax_size = 2000\n')
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "environment.org")
    monkeypatch.setenv("PBM_SERVER__LOCAL_PART", "environment")
    effective = load(file, {"server": {"domain": "line.org", "listen": None}})
    server = effective.values.server
    assert (server.domain, server.local_part, server.max_size) == ("line.org", "environment", 2000)
    assert server.listen == "127.0.0.1:8025"
    names = ("domain", "local_part", "max_size", "listen")
    origins = [effective.origin("server", name) for name in names]
    assert origins == ["command line", "environment", f"file {file}", "default"]


def test_file_by_option_variable_and_usual_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [write(tmp_path / f"{name}.toml", f'operator = "{name}@x.org"') for name in ("option", "variable", "usual")]
    assert load(None, {}).values.operator == "usual@x.org"
    monkeypatch.setenv("PBM_CONFIG", str(files[1]))
    assert load(None, {}).values.operator == "variable@x.org"
    assert load(files[0], {}).values.operator == "option@x.org"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('databse = "sqlite://"', r'^databse \(file .*t\.toml\): there is no such key\. Did you mean "database"\?$'),
        ("[server]\nlisen = 1", r'^server\.lisen \(.*\): there is no such key\. Did you mean "listen"\?$'),
        ("[servers]\nlisten = 1", r'^servers \(.*\): there is no such key\. Did you mean "server"\?$'),
        ('[server]\nmax_size = "big"', r'^server\.max_size \(.*\): "big": input should be a valid integer'),
        ("[server]\nmax_size = 5", r"^server\.max_size \(.*\): 5: input should be greater than or equal to 1024$"),
        ("[imap]\nport = true", r"^imap\.port \(.*\): true: write a number$"),
        ("[imap]\npoll_seconds = true", r"^imap\.poll_seconds \(.*\): true: write a number$"),
        ("[delivery]\nconcurrency = true", r"^delivery\.concurrency \(.*\): true: write a number$"),
        ("[limits]\nmessages_per_day = false", r"^limits\.messages_per_day \(.*\): false: write a number$"),
        ("[house]\nclaim_days = 5000000", r"^house\.claim_days \(.*\): 5000000: input should be less"),
        ("[delivery]\ngive_up_hours = inf", r"^delivery\.give_up_hours "),
        ("[delivery]\ngive_up_hours = nan", r"^delivery\.give_up_hours "),
        ('[server]\nlisten = "8025"', r'^server\.listen \(.*\): "8025": write HOST:PORT'),
        ('[server]\ndomain = "a b"', r"^server\.domain \(.*\): .*example\.org"),
        ('[server]\nunix_mode = "999"', r"^server\.unix_mode "),
        ('[server]\ntls_key = "k.pem"', r"^server\.tls_certificate: "),
        ('[delivery]\nkind = "pigeon"', r"^delivery\.kind \(.*\): .*'maildir', 'smarthost' or 'sendmail'"),
        ('[delivery]\nkind = "smarthost"', r"^smarthost\.host: "),
        ('[smarthost]\nusername = "u"', r"^smarthost\.username, smarthost\.password: give both"),
        ('[imap]\nhost = "h"\nusername = "u"', r"^imap\.username, imap\.password: imap\.host is given"),
        ('[sendmail]\ncommand = " "', r"^sendmail\.command "),
        ('database = "pbm.db"', r"^database \(.*\): write something like sqlite:"),
        ("server = 5", r"^server \(.*\): this is a table: write \[server\], and its keys below\.$"),
        ("server = !", r"t\.toml: is not TOML: .*line 1"),
    ],
)
def test_a_mistake_names_its_key(text: str, expected: str, tmp_path: Path) -> None:
    found = problems(text, tmp_path)
    assert len(found) == 1
    assert re.search(expected, found[0])
    assert "\n" not in found[0]


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    assert len(problems('x = 1\n[server]\nmax_size = "big"\ny = 2', tmp_path)) == 3


def test_secrets_are_not_repeated_in_a_mistake(tmp_path: Path) -> None:
    assert "4711" not in str(problems("[smarthost]\npassword = 4711", tmp_path))
    assert "4711" not in str(problems('database = "u:4711@h"', tmp_path))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"none\.toml: cannot be read"):
        load(tmp_path / "none.toml", {})
    (tmp_path / "bad.toml").write_bytes(b'operator = "\xff"')
    with pytest.raises(Misconfigured, match=r"bad\.toml: is not UTF-8"):
        load(tmp_path / "bad.toml", {})


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PBM_SERVER__LISEN", "x", "server.lisen (environment PBM_SERVER__LISEN): there is no such key"),
        ("PBM_SERVR__LISTEN", "x", 'PBM_SERVR__LISTEN: there is no such key. Did you mean "server"?'),
        ("PBM_SERVER", "x", "server: PBM_SERVER cannot hold a whole table"),
        ("PBM_SERVER__MAX_SIZE", "big", 'server.max_size (environment PBM_SERVER__MAX_SIZE): "big"'),
    ],
)
def test_a_mistake_in_the_environment(name: str, value: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured) as refused:
        load(None, {})
    assert expected in str(refused.value)


def test_a_nearer_source_gives_a_table_where_the_file_has_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    values = load(write(tmp_path / "pbm.toml", 'server = "x"\n[delivery]\n'), {"server": {"listen": "[::1]:25"}})
    assert (values.values.server.domain, values.origin("server", "domain")) == ("example.org", "environment")
    assert (values.values.server.listen, values.origin("server", "listen")) == ("[::1]:25", "command line")
    assert len(problems("[delivry]\n", tmp_path)) == 1


def test_variables_of_others_are_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_PORT_8025_TCP_ADDR", "10.0.0.1")
    assert load(None, {}).values == Configuration()


def test_variables_that_mean_nothing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_DATABSE", "sqlite:////tmp/x.db")
    monkeypatch.setenv("PBM_DATABASE", "sqlite:////tmp/x.db")
    monkeypatch.setenv("PBM_SERVER_LISTEN", "127.0.0.1:25")
    monkeypatch.setenv("PBM_SERVER__LISTEN", "127.0.0.1:25")
    assert list(strange_variables()) == [
        "The variable PBM_DATABSE means nothing here. Did you mean PBM_DATABASE?",
        "The variable PBM_SERVER_LISTEN means nothing here. Did you mean PBM_SERVER__LISTEN?",
    ]


def test_aliases_are_addresses() -> None:
    assert (
        load(None, {"server": {"aliases": "pbm@a.org  games@b.org"}}).values.server.aliases == "pbm@a.org games@b.org"
    )
    with pytest.raises(Misconfigured, match='"nobody" is no address'):
        load(None, {"server": {"aliases": "nobody"}})


def test_what_the_robot_is_called_has_keys_with_its_defaults() -> None:
    for field in dataclasses.fields(Robot):
        if field.name not in ("one_mailbox", "aliases"):
            assert getattr(Configuration().server, field.name) == getattr(Robot(), field.name), field.name


def test_every_key_is_explained() -> None:
    for key in keys(Configuration):
        meaning = table_of(key[:-1]).model_fields[key[-1]].description or ""
        assert len(meaning) > 5, key
        assert meaning.endswith("."), key
    assert all(table_of([name]).__doc__ for name in Configuration.model_fields if name not in ("database", "operator"))


def test_parts_get_what_the_file_says(tmp_path: Path) -> None:
    text = """
        [server]
        listen = "[::1]:2525"
        domain = "example.org"
        local_part = "games"
        lmtp = true
        [delivery]
        kind = "smarthost"
        concurrency = 3
        [smarthost]
        host = "mail.example.org"
        username = "u"
        password = "p"
    """
    values = load(write(tmp_path / "t.toml", text), {}).values
    listen = values.server
    assert (listen.where, listen.domain, listen.lmtp) == (("::1", 2525), "example.org", True)
    assert robot(values).address == "games@example.org"
    assert values.delivery.concurrency == 3
    assert isinstance(opening.transport(values), Smarthost)


def test_the_ways_out_and_a_unix_socket(tmp_path: Path) -> None:
    assert isinstance(opening.transport(Configuration()), Maildir)
    values = load(None, {"delivery": {"kind": "sendmail"}, "server": {"listen": "unix:/run/pbm.sock"}}).values
    assert isinstance(opening.transport(values), SendmailCommand)
    assert values.server.where == Path("/run/pbm.sock")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"server": {"tls_certificate": "/none.pem"}}, "server.tls_certificate: /none.pem cannot be read: No such"),
        ({"server": {"tls_certificate": __file__}}, "server.tls_certificate, server.tls_key: cannot be used"),
        ({"delivery": {"kind": "sendmail"}, "sendmail": {"command": "/no/mail -i"}}, "sendmail.command: there is no"),
        ({"maildir": {"folder": f"{__file__}/x"}}, "maildir.folder: "),
        (
            {"delivery": {"kind": "smarthost"}, "smarthost": {"host": "h", "ca_file": "/none.pem"}},
            "smarthost.ca_file: /none.pem cannot be used",
        ),
    ],
)
def test_what_the_machine_lacks_is_named(given: dict[str, object], expected: str) -> None:
    found = loading.lacks(load(None, given).values)
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_a_sound_machine_lacks_nothing(tmp_path: Path) -> None:
    certificate = str(Path(__file__).parent.parent / "edges" / "localhost.pem")
    given = {"server": {"tls_certificate": certificate}, "maildir": {"folder": str(tmp_path / "mail")}}
    assert loading.lacks(load(None, given).values) == []


@given(st.text(max_size=30))
def test_a_place_is_read_or_refused(text: str) -> None:
    try:
        found = place(text)
    except ValueError:
        return
    assert isinstance(found, Path) or 0 <= found[1] <= 65535


def test_the_password_of_a_url_is_masked() -> None:
    assert masked("postgresql://u:p:q@w@h/d") == f"postgresql://u:{places.MASK}@h/d"
    assert masked("sqlite:////a:b@c") == "sqlite:////a:b@c"
    assert masked("postgresql:///d?password=p&host=h") == f"postgresql:///d?password={places.MASK}&host=h"


def test_a_mark_of_some_editors_at_the_beginning_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(b'\xef\xbb\xbfoperator = "a@x.org"')
    assert load(file, {}).values.operator == "a@x.org"


_AWAY = 'host = "mail.example.org"\nusername = "u"\npassword = "p"\ntls = '


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'[imap]\n{_AWAY}"none"', "imap.tls: the password goes to mail.example.org in clear"),
        (f'[delivery]\nkind = "smarthost"\n[smarthost]\n{_AWAY}"none"', "smarthost.tls: the password goes to"),
        (f'[smarthost]\n{_AWAY}"none"', ""),
        (f'[imap]\n{_AWAY}"starttls"', ""),
        (f'[imap]\n{_AWAY}"none"'.replace("mail.example.org", "127.0.0.1"), ""),
    ],
)
def test_a_password_that_would_go_out_in_clear_is_told(text: str, told: str, pbm: Pbm, tmp_path: Path) -> None:
    file = write(tmp_path / "t.toml", text)
    file.chmod(0o600)
    said = pbm("config", "check", "--config", str(file)).stderr
    assert told in said
    assert bool(told) == ("in clear" in said)
    assert (told in pbm("doctor", "--offline", "--config", str(file), code=1).stdout) or not told


def test_show_is_a_file_that_means_the_same(pbm: Pbm, tmp_path: Path) -> None:
    shown = pbm("config", "show", "--database", "sqlite:////tmp/x.db").stdout
    file = write(tmp_path / "shown.toml", shown)
    assert (
        load(file, {"database": "sqlite:////tmp/x.db"}).values == load(None, {"database": "sqlite:////tmp/x.db"}).values
    )
    written = tomllib.loads(shown)
    for key in keys(Configuration):
        unset = f"# {key[-1]} is not set" in shown
        assert unset or key[-1] in (written[key[0]] if len(key) > 1 else written), key


def test_show_tells_sources_and_hides_secrets(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBM_SMARTHOST__PASSWORD", "verysecret")
    file = write(tmp_path / "t.toml", '[smarthost]\nhost = "mail.example.org"\nusername = "me"\n')
    words = ("config", "show", "--config", str(file), "--database", "postgresql://u:verysecret@h/d")
    shown, parsed = pbm(*words).stdout, json.loads(pbm(*words, "--json").stdout)
    assert "verysecret" not in shown + str(parsed)
    assert f'\nhost = "mail.example.org"  # file {file}\n' in shown
    assert '\nlisten = "127.0.0.1:8025"  # default\n' in shown
    assert f'\n# password = "{places.MASK}"  # environment\n' in shown
    assert f'\n# database = "postgresql://u:{places.MASK}@h/d"  # command line\n' in shown
    assert set(parsed) == {".".join(key) for key in keys(Configuration)}
    assert parsed["smarthost.host"]["variable"] == variable("smarthost", "host") == "PBM_SMARTHOST__HOST"


def test_check(pbm: Pbm, tmp_path: Path) -> None:
    file = write(tmp_path / "t.toml", f'[maildir]\nfolder = "{tmp_path / "mail"}"\n[server]\nport = 1\n')
    refused = pbm("config", "check", "--config", str(file), code=2)
    assert refused.stderr.startswith("server.port (file")
    assert refused.stdout == ""
    write(file, f'[maildir]\nfolder = "{tmp_path / "mail"}"\n')
    assert str(file) in pbm("config", "check", "--config", str(file)).stdout
    write(file, '[server]\ntls_certificate = "/none.pem"\n')
    assert pbm("config", "check", "--config", str(file), code=2).stderr.startswith("server.tls_certificate: ")


def test_every_command_tells_a_broken_configuration_in_one_line(pbm: Pbm, tmp_path: Path) -> None:
    file = write(tmp_path / "t.toml", "x = 1\n")
    for words in (
        ["player", "list"],
        ["board", "verify"],
        ["inbox", "list"],
        ["db", "check"],
        ["serve"],
        ["config", "show"],
    ):
        refused = pbm("--config", str(file), *words, code=2)
        assert re.fullmatch(r"x \(file .*\): there is no such key\. .*\n", refused.stderr)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("database", "sqlite://pbm.db", "three slashes"),
        ("database", "mysql://localhost/pbm", "there is no such driver"),
        ("server__bounce_part", "pbm", "server.bounce_part: must differ"),
        ("server__bounce_part", "PBM", "server.bounce_part: must differ"),
        ("imap__handled_folder", "Inbox", "imap.handled_folder: must differ"),
        ("imap__longest_retry_seconds", "0.5", "imap.longest_retry_seconds: is less than"),
        ("delivery__longest_retry_seconds", "1", "delivery.longest_retry_seconds: is less than"),
        ("smarthost__host", "mail.example.org:587", "its port apart"),
        ("imap__host", "imap.example.org:993", "its port apart"),
        ("server__listen", "unix:/none/there/s", "server.listen: there is no folder /none/there"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_started(
    pbm: Pbm, monkeypatch: pytest.MonkeyPatch, key: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"PBM_{key.upper()}", value)
    assert said in pbm("config", "check", code=2).stderr


@pytest.mark.parametrize(
    ("listen", "host", "ourselves"),
    [
        ("127.0.0.1:8025", "127.0.0.1", True),
        ("0.0.0.0:8025", "localhost", True),
        ("192.0.2.7:8025", "192.0.2.7", True),
        ("127.0.0.1:8025", "Games.example.org", True),
        ("192.0.2.7:8025", "127.0.0.1", False),
        ("127.0.0.1:8026", "127.0.0.1", False),
    ],
)
def test_a_smarthost_that_is_ourselves_is_told(
    pbm: Pbm, monkeypatch: pytest.MonkeyPatch, listen: str, host: str, ourselves: bool
) -> None:
    given = {"SERVER__LISTEN": listen, "SERVER__DOMAIN": "games.example.org", "DELIVERY__KIND": "smarthost"}
    for key, value in (given | {"SMARTHOST__HOST": host, "SMARTHOST__PORT": "8025"}).items():
        monkeypatch.setenv(f"PBM_{key}", value)
    said = pbm("config", "check", code=2 if ourselves else 0).stderr
    assert ("this is where we listen ourselves" in said) == ourselves


def test_a_key_that_others_may_read_is_warned_of(pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = tmp_path / "dkim.pem"
    pbm("keys", "dkim", "create", str(key))
    monkeypatch.setenv("PBM_DKIM__KEY", str(key))
    assert "dkim.key" not in pbm("config", "check").stderr
    key.chmod(0o644)
    assert f"Others may read or change dkim.key ({key})" in pbm("config", "check").stderr


def test_a_file_with_a_password_that_others_may_read_is_warned_of(
    pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PBM_DATABASE")
    file = tmp_path / "pbm.toml"
    for text in (
        '[smarthost]\nusername = "pbm"\npassword = "verysecret"\n',
        'database = "postgresql://pbm:verysecret@db.example.org/pbm"\n',
    ):
        file.write_text(text)
        file.chmod(0o644)
        warned = f"Others may read or change configuration ({file})"
        assert warned in pbm("--config", str(file), "config", "check").stderr
        file.chmod(0o640)
        assert warned not in pbm("--config", str(file), "config", "check").stderr


def test_each_delivery_kind_is_a_table_of_its_own() -> None:
    tables = {name for name, field in Configuration.model_fields.items() if _is_kind(field.annotation)}
    named = set(get_args(Delivery.model_fields["kind"].annotation))
    assert tables == named, "left: tables of Configuration; right: values of delivery.kind"


def _is_kind(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, DeliveryKind)
