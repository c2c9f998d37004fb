"""Applications for the servers of Python's two interfaces. Each prints the length of every body that it has read."""


def wsgi(environ, start_response):
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    print(len(body), flush=True)
    start_response("200 OK", [("content-length", "2")])
    return [b"ok"]


async def asgi(scope, receive, send):
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
