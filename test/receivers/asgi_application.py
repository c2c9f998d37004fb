"""A receiver on ASGI. Prints the length of every body that it has read."""


async def receive(scope, receive, send):
    if scope["type"] != "http":
        return
    is_early = scope["path"] == "/early"
    if is_early:
        await begin(send)
    length = 0
    while True:
        message = await receive()
        length += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    print(length, flush=True)
    if not is_early:
        await begin(send)
    # uvicorn gives no body any more once an answer is whole.
    await send({"type": "http.response.body", "body": b"k"})


async def begin(send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"o", "more_body": True})
