"""A receiver on Flask. Prints the length of every body that it has read."""
import os

from flask import Flask, request

application = Flask(__name__)


@application.post("/")
def receive():
    # print writes the line end by itself, and the threads would mix their lines.
    os.write(1, b"%d\n" % len(request.get_data()))
    return "ok"
