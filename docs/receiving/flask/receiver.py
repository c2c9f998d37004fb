"""pip install flask, and Hermod's client. Serve it with `flask --app receiver run`, and work with `flask --app receiver work`."""

import os
import sqlite3
import time
from contextlib import closing

from flask import Flask, request
from hermod import WebhookVerificationError, verify

SECRETS = os.environ["WEBHOOK_SECRET"].split()  # several while one is being replaced
WAITING = "select id, sequence, event, body from webhooks where done = 0 and sequence > 0 order by sequence"

app = Flask(__name__)
# 1. Read the body as bytes, up to a limit.
app.config["MAX_CONTENT_LENGTH"] = 2 * 1_048_576


def connect() -> sqlite3.Connection:
    db = sqlite3.connect("webhooks.sqlite")
    db.execute("create table if not exists webhooks (id text primary key, sequence int, event text, body text, done int)")
    return db


@app.post("/hooks")
def receive():
    body = request.get_data()
    # 2. Verify the signature.
    webhook = verify(body, request.headers, SECRETS)
    # 3. Store the webhook under its id, unless it came before.
    row = (webhook.id, webhook.sequence, webhook.event, body.decode())
    with closing(connect()) as db, db:
        db.execute("insert into webhooks values (?, ?, ?, ?, 0) on conflict do nothing", row)
    # 4. Answer 2xx.
    return "", 204


@app.errorhandler(WebhookVerificationError)
def refuse(error: WebhookVerificationError):
    return str(error), 401


@app.cli.command()
def work():
    """Works on webhooks until it is ended."""
    while True:
        try:
            work_off()
        except Exception:
            app.logger.exception("The work failed, and is tried again")
        time.sleep(1)


# 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
def work_off():
    with closing(connect()) as db:
        for id, sequence, event, body in db.execute(WAITING).fetchall():
            with db:
                print(sequence, event, body, flush=True)
                db.execute("update webhooks set done = 1 where id = ?", [id])
