"""A plugin that makes an agent answer each message with another message that requests an answer.

In turn it sends a ping, a query (discover-features), and a basicmessage that requests an acknowledgement. A kiosk
that answered each at once would never become idle. For tests; works with acapy-agent 1.x and aries-cloudagent 0.12.
"""
import importlib.util
import itertools
from importlib import import_module

ROOT = "acapy_agent" if importlib.util.find_spec("acapy_agent") else "aries_cloudagent"
protocols = ROOT + ".protocols."
PREFIX = "https://didcomm.org/"
turns = itertools.cycle(["ping", "query", "ack"])


def question():
    kind = next(turns)
    if kind == "ping":
        return import_module(protocols + "trustping.v1_0.messages.ping").Ping(response_requested=True)
    if kind == "query":
        return import_module(protocols + "discovery.v1_0.messages.query").Query(query="*")
    message = import_module(protocols + "basicmessage.v1_0.messages.basicmessage").BasicMessage
    return message.deserialize({
        "@type": PREFIX + "basicmessage/1.0/message", "content": "x", "sent_time": "2026-01-02 03:04:05Z",
        "~please_ack": {"on": ["RECEIPT"]}})


def asks_back(handler):
    original = handler.handle

    async def handle(self, context, responder):
        await original(self, context, responder)
        await responder.send_reply(question())

    handler.handle = handle


async def setup(context):
    for module, name in [
        ("basicmessage.v1_0.handlers.basicmessage_handler", "BasicMessageHandler"),
        ("trustping.v1_0.handlers.ping_response_handler", "PingResponseHandler"),
        ("discovery.v1_0.handlers.disclose_handler", "DiscloseHandler"),
        ("notification.v1_0.handlers.ack_handler", "V10AckHandler"),
    ]:
        asks_back(getattr(import_module(protocols + module), name))
