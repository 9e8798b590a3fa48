"""A small WebSocket client on a plain socket, which can also misbehave."""

import base64
import json
import os
import socket
import struct
import urllib.parse

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    """The server did not switch protocols."""

    def __init__(self, status: int, body: bytes):
        super().__init__(f"{status} {body[:300]!r}")
        self.status = status
        self.body = json.loads(body) if body else {}


class Closed(Exception):
    """The server said goodbye (`code`), or the connection is gone (None)."""

    def __init__(self, code: int | None, reason: str = ""):
        super().__init__(f"{code} {reason}")
        self.code = code
        self.reason = reason


class WebSocket:
    def __init__(self, url: str, headers: dict, path: str = "/ws", protocol: str | None = "instantstart.v1"):
        address = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=60)
        sent = {
            "Host": address.netloc,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        }
        if protocol:
            sent["Sec-WebSocket-Protocol"] = protocol
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in (sent | headers).items())]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.received = b""
        head = self._head()
        status = int(head.split(b" ", 2)[1])
        if status != 101:
            raise Refused(status, self._body(head))
        assert protocol is None or f"sec-websocket-protocol: {protocol}".encode() in head.lower()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _more(self) -> None:
        try:
            chunk = self.socket.recv(65536)
        except ConnectionError:
            chunk = b""
        if not chunk:
            raise Closed(None)
        self.received += chunk

    def _take(self, count: int) -> bytes:
        while len(self.received) < count:
            self._more()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def _head(self) -> bytes:
        while b"\r\n\r\n" not in self.received:
            self._more()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        return head

    def _body(self, head: bytes) -> bytes:
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                return self._take(int(value))
        return b""

    def send(self, frame: dict) -> None:
        self.send_frame(TEXT, json.dumps(frame).encode())

    def send_frame(self, opcode: int, payload: bytes, masked: bool = True) -> None:
        size = len(payload)
        short = size if size < 126 else 126 if size < 65536 else 127
        head = bytes([0x80 | opcode, short | (0x80 if masked else 0)])
        head += struct.pack(">H", size) if short == 126 else struct.pack(">Q", size) if short == 127 else b""
        mask = os.urandom(4)
        if masked:
            head += mask
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(head + payload)

    def receive(self) -> dict | bytes:
        """The next message. Raises Closed."""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._take(8))[0]
            payload = self._take(size)
            opcode = first & 0x0F
            if opcode == CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if payload else None
                raise Closed(code, payload[2:].decode())
            if opcode == PING:
                self.send_frame(PONG, payload)
            elif opcode == TEXT:
                return json.loads(payload)
            elif opcode == BINARY:
                return payload

    def subscribe(self, topic: str, cursor: int | None = None, channel: int = 1, credit: int = 10_000) -> dict:
        """The answer, whatever it is."""
        frame = {"type": "subscribe", "channel": channel, "topic": topic, "credit": credit}
        self.send(frame if cursor is None else frame | {"cursor": cursor})
        return self.receive()

    def events_until(self, kind: str, heard: list[dict] | None = None) -> list[dict]:
        """Appends all events to `heard` until one of that kind came."""
        heard = [] if heard is None else heard
        while not any(event["kind"] == kind for event in heard):
            frame = self.receive()
            if frame["type"] == "events":
                heard += frame["events"]
                assert frame["cursor"] == heard[-1]["sequence"]
        return heard
