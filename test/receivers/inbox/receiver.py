"""A receiver with the inbox, whose work writes a row for each webhook. Argument: its options as JSON. Prints its port."""

import json
import sys
import time
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from hermod import Hermod, WebhookVerificationError
from hermod.inbox import Inbox
from psycopg_pool import ConnectionPool

given = json.loads(sys.argv[1])
options = given["options"]
pool = ConnectionPool(given["address"], min_size=1, max_size=8, open=True)
common = {"endpoint": options["endpoint"], "secrets": options["secrets"]}
ordered = Inbox(pool.connection, **common, ordered=True)
once = Inbox(pool.connection, **common, name="once")


def work(db, event):
    n = event.data["n"]
    if event.tries == 0 and n in given.get("fails", []):
        raise ValueError(f"no work for {n}")
    db.execute("insert into effects (sequence, n) values (%s, %s)", (event.sequence, n))


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.answer(body))
        self.send_header("content-length", "0")
        self.end_headers()

    def answer(self, body):
        try:
            box = once if self.path == "/once" else ordered
            return 204 if box.take(body, self.headers, work) == "done" else 202
        except WebhookVerificationError:
            return 401
        except Exception:
            return 500

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def work_off():
    while True:
        ordered.work_off(work)
        time.sleep(1)


ordered.create_table()
with pool.connection() as db:
    db.execute("create table if not exists effects (at serial primary key, sequence bigint not null, n text not null)")
if catch_up := options.get("catchUp"):
    ordered.catch_up(Hermod(catch_up["url"], catch_up["key"], parse_float=Decimal), work)
Thread(target=work_off, daemon=True).start()
server = Server(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
