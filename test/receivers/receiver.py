"""A receiver on Python's http.server. Arguments: its port, and how long it keeps idle connections, in milliseconds. Prints the
length of each body that it has read to its end."""
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = int(sys.argv[2]) / 1000

    def do_POST(self):
        is_early = self.path == "/early"
        if is_early:
            self.answer()
        body = self.rfile.read(int(self.headers["content-length"]))
        # print writes the line end by itself, and the threads would mix their lines.
        os.write(1, b"%d\n" % len(body))
        if not is_early:
            self.answer()

    def answer(self):
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
