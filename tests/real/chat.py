"""A Delta Chat core, driven as its apps do: by JSON-RPC, one object on each line."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE_SECONDS
from tests.real.servers import PASSWORD, PLAYERS, MailServers

CORE = Path(sys.executable).with_name("deltachat-rpc-server")


@dataclass(frozen=True, slots=True)
class Said:
    """A message that somebody got. picture: its file, or empty. chat: the name of its chat."""

    id: int
    chat: str
    text: str
    picture: str


class Chatter:
    """Somebody with a chat app and nothing else: their own core, one account. encrypted: as in new profiles, it neither
    sends nor shows what is not encrypted.
    """

    def __init__(self, servers: MailServers, name: str, *, encrypted: bool = False) -> None:
        self.name = name
        self.address = f"{name}@{PLAYERS}"
        self._servers = servers
        self._core = subprocess.Popen(
            [CORE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | {"DC_ACCOUNTS_PATH": str(servers.folder / f"chat-{name}"), "RUST_LOG": "off"},
        )  # fmt: skip
        self._numbers = itertools.count(1)
        self._account = self._call("add_account", of_account=False)
        self._call("batch_set_config", {"force_encryption": str(int(encrypted)), "displayname": name.capitalize()})
        self._call("add_or_update_transport", self._login())
        self._call("start_io")

    def close(self) -> None:
        self._core.kill()
        self._core.communicate()

    def meet(self, address: str) -> int:
        """The number of the chat with an address."""
        contact = self._call("create_contact", address, None)
        return int(self._call("create_chat_by_contact_id", contact))

    def meet_by_card(self, card: str) -> int:
        """The number of the chat with the contact in a vCard, which brings its key."""
        (contact,) = self._call("import_vcard_contents", card)
        return int(self._call("create_chat_by_contact_id", contact))

    def say(self, chat: int | str, text: str) -> None:
        """chat: its number or name."""
        number = chat if isinstance(chat, int) else self.chats()[chat]
        self._call("accept_chat", number)
        self._call("misc_send_text_message", number, text)

    def chats(self) -> dict[str, int]:
        """The numbers of all chats with other people, by name."""
        numbers = self._call("get_chatlist_entries", None, None, None)
        chats = {self._call("get_basic_chat_info", number)["name"]: number for number in numbers}
        return {name: number for name, number in chats.items() if name not in ("Device messages", "Saved messages")}

    def heard(self) -> list[Said]:
        """The messages of others, oldest first."""
        found = []
        for chat, number in self.chats().items():
            for message in self._call("get_message_ids", number, False, False):
                told = self._call("get_message", message)
                if told["fromId"] > 9 and not told["isInfo"]:
                    picture = told["file"] if told["viewType"] == "Image" else ""
                    found.append(Said(message, chat, told["text"], picture))
        return sorted(found, key=lambda said: said.id)

    def wait_for(self, wanted: Callable[[Said], bool]) -> Said:
        """A core that has missed a notice of the IMAP server looks again when it is told that the network is back."""
        for attempt in range(int(PATIENCE_SECONDS * 10)):
            heard = self.heard()
            found = next(filter(wanted, heard), None)
            if found is not None:
                return found
            if attempt % 50 == 49:
                self._call("maybe_network", of_account=False)
            time.sleep(0.1)
        texts = "\n".join(f"{said.chat}: {said.text[:300]}" for said in heard)
        raise AssertionError(f"{self.name} has heard:\n{texts}\n{self._servers.log()}")

    def is_encrypted(self, said: Said) -> bool:
        return bool(self._call("get_message", said.id)["showPadlock"])

    def _login(self) -> dict[str, object]:
        servers = self._servers
        incoming = {"imapServer": "127.0.0.1", "imapPort": servers.imap, "imapSecurity": "plain"}
        outgoing = {"smtpServer": "127.0.0.1", "smtpPort": servers.smtp, "smtpSecurity": "plain"}
        return {"addr": self.address, "password": PASSWORD, **incoming, **outgoing}

    def _call(self, method: str, *params: object, of_account: bool = True) -> Any:
        assert self._core.stdin is not None
        assert self._core.stdout is not None
        number = next(self._numbers)
        given = [self._account, *params] if of_account else params
        question = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
        self._core.stdin.write(json.dumps(question).encode() + b"\n")
        self._core.stdin.flush()
        answer = next(found for found in map(json.loads, self._core.stdout) if found.get("id") == number)
        assert "error" not in answer, f"{self.name}, {method} {params}: {answer['error']}"
        return answer.get("result")
