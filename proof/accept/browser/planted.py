"""Serves a sandbox with planted scripts: everything comes from the sandbox but the files of the pages, which come from a folder.

Started as `planted.py BASE_URL ASSETS`; prints `ready URL` once it listens, and ends with its standard input. A connection carries one
request, or a socket.
"""

import mimetypes
import socket
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

CHUNK = 65_536


class Proxy:
    """A proxy of one sandbox."""

    def __init__(self, base: str, assets: Path):
        self.upstream, self.assets = urlsplit(base), assets.resolve()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.answer, args=(client,), daemon=True).start()

    def answer(self, client: socket.socket):
        with client:
            head, rest = head_of(client)
            if not head:
                return
            method, target, *_ = head.split(" ", 2)
            file = self.own(target.split("?")[0]) if method == "GET" else None
            if file:
                client.sendall(whole(file))
            else:
                self.forward(client, head, rest)

    def own(self, path: str) -> Path | None:
        """The file of the folder that is served at a path; those of libraries have other names there."""
        file = (self.assets / path.removeprefix("/site/")).resolve()
        is_page = path.startswith("/site/") and file.suffix in (".js", ".css")
        return file if is_page and file.is_relative_to(self.assets) and file.is_file() else None

    def forward(self, client: socket.socket, head: str, rest: bytes):
        """Sends the request on as if the browser had asked the sandbox, and pipes both ways."""
        lines = [line.replace(self.host, self.upstream.netloc) for line in head.split("\r\n")]
        if not any(line.lower().startswith("upgrade:") for line in lines):
            lines = [line for line in lines if not line.lower().startswith("connection:")] + ["Connection: close"]
        with socket.create_connection((self.upstream.hostname, self.upstream.port)) as server:
            server.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + rest)
            up = threading.Thread(target=pipe, args=(client, server), daemon=True)
            up.start()
            pipe(server, client)
            # The browser may keep its side open for a next request, which would never be answered here.
            end(client)
            up.join()


def head_of(client: socket.socket) -> tuple[str, bytes]:
    """The head of a request, and the bytes that came with it."""
    read = b""
    while b"\r\n\r\n" not in read:
        more = client.recv(CHUNK)
        if not more:
            return "", b""
        read += more
    head, rest = read.split(b"\r\n\r\n", 1)
    return head.decode("latin-1"), rest


def whole(file: Path) -> bytes:
    body = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "text/javascript"
    head = ["HTTP/1.1 200 OK", f"Content-Type: {kind}; charset=utf-8", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def pipe(source: socket.socket, sink: socket.socket):
    try:
        while more := source.recv(CHUNK):
            sink.sendall(more)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        # One side has gone: the other learns of it too.
        end(sink)


def end(connection: socket.socket):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It has ended already.
        pass


if __name__ == "__main__":
    proxy = Proxy(sys.argv[1], Path(sys.argv[2]))
    threading.Thread(target=proxy.serve, daemon=True).start()
    print(f"ready http://{proxy.host}", flush=True)
    sys.stdin.read()
