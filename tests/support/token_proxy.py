"""A proxy on loopback for clients that cannot send a token: it adds the header and passes everything else as it is."""

import asyncio
import contextlib
import threading


class TokenProxy:
    """`with TokenProxy(url, token) as proxy:` has its own thread; `proxy.url` is what the client is given."""

    def __init__(self, url: str, token: str):
        self.port = int(url.rsplit(":", 1)[1])
        self.header = f"Authorization: Bearer {token}\r\n".encode()
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task] = set()

    def __enter__(self):
        started = threading.Event()
        self.thread = threading.Thread(target=self._run, args=[started])
        self.thread.start()
        started.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.done.set)
        self.thread.join()

    def _run(self, started: threading.Event) -> None:
        async def serve():
            self.done = asyncio.Event()
            server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            started.set()
            await self.done.wait()
            server.close()
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

        self.loop.run_until_complete(serve())
        self.loop.close()

    async def _connection(self, reader, writer) -> None:
        task = asyncio.current_task()
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        upstream, upstream_writer = await asyncio.open_connection("127.0.0.1", self.port)
        answers = asyncio.ensure_future(self._copy(upstream, writer))
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            await self._requests(reader, upstream_writer)
        # Who ends one side ends the other: a stream that its reader left is a call that was given up.
        upstream_writer.close()
        answers.cancel()
        writer.close()

    async def _requests(self, reader, writer) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            line, rest = head.split(b"\r\n", 1)
            headers = dict(row.lower().split(b":", 1) for row in rest.split(b"\r\n") if b":" in row)
            writer.write(line + b"\r\n" + self.header + rest)
            if headers.get(b"transfer-encoding", b"").strip() == b"chunked":
                await self._chunks(reader, writer)
            else:
                writer.write(await reader.readexactly(int(headers.get(b"content-length", b"0"))))
            await writer.drain()

    @staticmethod
    async def _chunks(reader, writer) -> None:
        size = None
        while size != 0:
            line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            writer.write(line + await reader.readexactly(size + 2))

    @staticmethod
    async def _copy(reader, writer) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()
