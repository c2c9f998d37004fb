"""pip install fastapi uvicorn 'psycopg[binary,pool]', and Hermod's client. Run it with `uvicorn receiver:app --port 4000`."""

import asyncio
import logging
import os
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request
from hermod import WebhookVerificationError, verify
from psycopg_pool import AsyncConnectionPool

SECRETS = os.environ["WEBHOOK_SECRET"].split()  # several while one is being replaced
TAKE_FIRST = """
    update webhooks set done = true where id =
    (select id from webhooks where not done and sequence > 0 order by sequence limit 1 for update)
    returning sequence, event, body"""

# create table webhooks (id text primary key, sequence bigint, event text, body text, done boolean not null)
pool = AsyncConnectionPool(os.environ["DATABASE_URL"], open=False)


@asynccontextmanager
async def lifespan(_: FastAPI):
    async with pool, asyncio.TaskGroup() as tasks:
        worker = tasks.create_task(work())
        yield
        worker.cancel()


app = FastAPI(lifespan=lifespan)


@app.post("/hooks", status_code=204)
async def receive(request: Request) -> None:
    # 1. Read the body as bytes, up to a limit.
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > 2 * 1_048_576:
            raise HTTPException(413)
    # 2. Verify the signature.
    try:
        webhook = verify(bytes(body), request.headers, SECRETS)
    except WebhookVerificationError as error:
        raise HTTPException(401, str(error)) from error
    # 3. Store the webhook under its id, unless it came before.
    row = (webhook.id, webhook.sequence, webhook.event, body.decode())
    async with pool.connection() as db:
        await db.execute("insert into webhooks values (%s, %s, %s, %s, false) on conflict do nothing", row)
    # 4. Answer 2xx.


# 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
async def work() -> None:
    while True:
        try:
            while await work_on_first():
                pass
        except Exception:
            logging.exception("The work failed, and is tried again")
        await asyncio.sleep(1)


async def work_on_first() -> bool:
    async with pool.connection() as db:  # commits at its end
        if first := await (await db.execute(TAKE_FIRST)).fetchone():
            print(*first, flush=True)
        return first is not None
