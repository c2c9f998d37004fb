"""A receiver with the inbox for asyncio, whose work writes a row for each webhook. Argument: its options as JSON. Prints its port."""

import asyncio
import json
import socket
import sys
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI, Request, Response
from hermod import WebhookVerificationError
from hermod.inbox import AsyncInbox
from psycopg_pool import AsyncConnectionPool

given = json.loads(sys.argv[1])
options = given["options"]
pool = AsyncConnectionPool(given["address"], min_size=1, max_size=8, open=False)
box = AsyncInbox(pool.connection, endpoint=options["endpoint"], secrets=options["secrets"], ordered=True)


async def work(db, event):
    await db.execute("insert into effects (sequence, n) values (%s, %s)", (event.sequence, event.data["n"]))


async def work_off():
    while True:
        await box.work_off(work)
        await asyncio.sleep(1)


@asynccontextmanager
async def lifespan(_):
    async with pool:
        await box.create_table()
        async with pool.connection() as db:
            await db.execute(
                "create table if not exists effects (at serial primary key, sequence bigint not null, n text not null)"
            )
        worker = asyncio.create_task(work_off())
        print(server.getsockname()[1], flush=True)
        yield
        worker.cancel()


app = FastAPI(lifespan=lifespan)


@app.post("/{path:path}")
async def receive(request: Request):
    try:
        taken = await box.take(await request.body(), request.headers, work)
    except WebhookVerificationError:
        return Response(status_code=401)
    return Response(status_code=204 if taken == "done" else 202)


server = socket.create_server(("127.0.0.1", 0), backlog=128)
uvicorn.run(app, fd=server.fileno(), log_level="critical")
