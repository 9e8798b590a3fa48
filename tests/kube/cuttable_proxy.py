"""A TCP relay that can be cut: what a client sees when its network fails."""

import contextlib
import socket
import threading


class CuttableProxy:
    def __init__(self, target_port: int):
        self.target_port = target_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.whole = True
        self.lock = threading.Lock()
        self.open: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def cut(self) -> None:
        """Ends all connections; new ones are closed at once."""
        with self.lock:
            self.whole = False
            for one in self.open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self.open.clear()

    def mend(self) -> None:
        with self.lock:
            self.whole = True

    def close(self) -> None:
        self.cut()
        self.listener.close()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                if not self.whole:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.target_port))
                self.open += [client, server]
            for source, sink in [(client, server), (server, client)]:
                threading.Thread(target=self.relay, args=(source, sink), daemon=True).start()

    @staticmethod
    def relay(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
