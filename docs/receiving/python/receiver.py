"""Run it with Python 3.9 or later: WEBHOOK_SECRET=whsec_… python3 receiver.py. It has no dependencies."""
import base64, hashlib, hmac, os, sqlite3, time, traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

SECRETS = os.environ["WEBHOOK_SECRET"].split()  # several while one is being replaced
TOLERANCE_SECONDS = 300
LARGEST_BODY = 2 * 1_048_576  # twice the largest payload: anybody can send to a receiver
WAITING = "select * from webhooks where done = 0 and sequence > 0 order by sequence"

def connect():
    db = sqlite3.connect("webhooks.sqlite", isolation_level=None)
    db.execute("create table if not exists webhooks (id text primary key, sequence int, event text, body text, done int)")
    return db

def is_genuine(body, headers):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    content = f"{id}.{timestamp}.".encode() + body
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in SECRETS]
    macs = [hmac.digest(key, content, hashlib.sha256) for key in keys if key]  # everybody knows the empty key
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(b"v1," + base64.b64encode(mac), each.encode()) for mac in macs for each in given)

class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection open

    def do_POST(self):
        # 1. Read the body as bytes, up to a limit.
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return self.send_error(413)
        body = self.rfile.read(int(length))
        # 2. Verify the signature.
        genuine = is_genuine(body, self.headers)
        if genuine:
            # 3. Store the webhook under its id, unless it came before.
            id, sequence, event = (self.headers.get(f"webhook-{name}", "") for name in ("id", "sequence", "event"))
            row = (id, int(sequence), unquote(event), body.decode())
            connect().execute("insert into webhooks values (?, ?, ?, ?, 0) on conflict do nothing", row)
        # 4. Answer 2xx.
        self.send_response(204 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()

# 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
def work():
    while True:
        try:
            for id, sequence, event, body, _ in connect().execute(WAITING).fetchall():
                print(sequence, event, body, flush=True)
                connect().execute("update webhooks set done = 1 where id = ?", [id])
        except Exception:
            traceback.print_exc()
        time.sleep(1)

Thread(target=work, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", 4000), Receiver).serve_forever()
