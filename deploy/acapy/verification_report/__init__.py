"""A plugin with which an ACA-Py agent stores the ledgers of gates: protocol verification-report/1.0.

One statement stores a batch of entries in PostgreSQL; stored entries are never changed. The HTTP answer to the batch
contains the receipt, always after the commit. If a batch is not stored, the answer is a problem report, and the gate
sends the batch again.
For acapy-agent 1.x and aries-cloudagent 0.12; needs psycopg 3 and the tables of ../schema.sql:
    PYTHONPATH=deploy/acapy aca-py start ... --plugin verification_report \\
        --plugin-config-value verification_report.database=postgresql://agent@db/gates
Without this value libpq's own variables are used (PGHOST, PGUSER, PGDATABASE ...).
"""
import asyncio
import hashlib
import importlib.util
import logging
import time
from importlib import import_module

import psycopg
from marshmallow import EXCLUDE, fields

ROOT = "acapy_agent" if importlib.util.find_spec("acapy_agent") else "aries_cloudagent"
messages = import_module(ROOT + ".messaging.agent_message")
BaseHandler = import_module(ROOT + ".messaging.base_handler").BaseHandler
ProblemReport = import_module(ROOT + ".protocols.problem_report.v1_0.message").ProblemReport
ProtocolRegistry = import_module(ROOT + ".core.protocol_registry").ProtocolRegistry
DIDCommPrefix = import_module(ROOT + ".protocols.didcomm_prefix").DIDCommPrefix

PROTOCOL = "verification-report/1.0/"
ENTRIES, BYTES, LAST = 256, 256 * 1024, 2**53
# Stores a batch of entries and returns a row. Stores nothing and returns no row if the ledger belongs to another
# connection and this batch does not continue it.
STORE = """
with writer as (
    insert into gatehouse.writer as w (ledger, connection, kiosk, head_position, head_hash)
    select %(ledger)s, %(connection)s, gatehouse.record(%(last)s) ->> 'kiosk', %(head_position)s, %(head_hash)s
    where gatehouse.may_write(%(ledger)s, %(connection)s, %(first)s, %(first_hash)s, %(first_body)s)
    on conflict (ledger, connection) do update set seen = now(), kiosk = coalesce(excluded.kiosk, w.kiosk),
        head_position = excluded.head_position, head_hash = excluded.head_hash
    returning 1
), signed as (
    insert into gatehouse.signed_head as s (ledger, connection, position, hash, signature)
    select %(ledger)s, %(connection)s, %(head_position)s, %(head_hash)s, %(head_signature)s::bytea from writer
    where %(head_signature)s::bytea is not null
    on conflict (ledger, connection) do update set position = excluded.position, hash = excluded.hash,
        signature = excluded.signature
    where s.position < excluded.position
), stored as (
    insert into gatehouse.entry (ledger, position, hash, body, connection)
    select %(ledger)s, position, hash, body, %(connection)s
    from writer, unnest(%(positions)s::bigint[], %(hashes)s::bytea[], %(bodies)s::text[]) as e (position, hash, body)
    on conflict do nothing
)
select 1 from writer"""
# Returns the last entry of a ledger, only for the connection that writes the ledger, with the newest signed head that
# came over the same connection. This head is the only evidence for the gate. The head of another connection is never
# returned: signatures are not checked here, so a false head would hide the right one.
HEAD = """
with writer as (
    update gatehouse.writer set seen = now() where ledger = %(ledger)s and connection = %(connection)s returning 1
)
select e.position, encode(e.hash, 'hex'), s.position, encode(s.hash, 'hex'), encode(s.signature, 'hex')
from writer, gatehouse.entry e
    left join gatehouse.signed_head s on s.ledger = e.ledger and s.connection = %(connection)s
where e.ledger = %(ledger)s order by e.position desc, e.received desc limit 1"""


class NotStored(Exception):
    """The database did not store or read anything. The text is the SQLSTATE or the name of the error's class."""


class Database:
    """One connection to PostgreSQL. It is made for the first statement, and again after it was lost."""

    def __init__(self, url):
        self.url, self.connection, self.lock, self.rest = url, None, asyncio.Lock(), 0.0

    async def row(self, statement, values):
        """Returns the first row of a statement after its commit; raises NotStored."""
        async with self.lock:
            try:
                return await self.ask(statement, values)
            except Exception as error:
                # Errors other than those of psycopg come from the event loop, for example about a broken socket.
                # After such an error the state of the connection is unknown, so close it.
                if self.connection is not None and not isinstance(error, psycopg.Error):
                    connection, self.connection = self.connection, None
                    connection.pgconn.finish()
                raise NotStored(getattr(error, "sqlstate", None) or type(error).__name__) from error

    async def ask(self, statement, values):
        if self.connection is None or self.connection.closed:
            if time.monotonic() < self.rest:
                raise psycopg.OperationalError("the database was not there a moment ago")
            self.rest = time.monotonic() + 2
            self.connection = await psycopg.AsyncConnection.connect(
                self.url, autocommit=True, connect_timeout=3, options="-c statement_timeout=10000")
            self.rest = 0.0
        return await (await self.connection.execute(statement, values)).fetchone()


def place(value):
    """Returns position and hash of an entry or a head; raises ValueError if they are invalid."""
    position, digest = value["position"], value["hash"]
    if type(position) is not int or not 0 <= position <= LAST:
        raise ValueError("position")
    if len(digest) != 64 or digest != bytes.fromhex(digest).hex():
        raise ValueError("hash")
    return position, bytes.fromhex(digest)


def signature(head):
    """Returns the gate's signature of its head as bytes; None if the head has no signature."""
    value = head.get("signature")
    if value is None:
        return None
    if len(value) != 128 or value != bytes.fromhex(value).hex():
        raise ValueError("signature")
    return bytes.fromhex(value)


def ledger_id(message):
    """Returns the ledger's id as bytes; raises ValueError if it is invalid."""
    ledger = message.ledger.encode()
    if not 1 <= len(ledger) <= 64 or b"\0" in ledger:
        raise ValueError("ledger")
    return ledger


def read(message):
    """Returns the values of STORE. Raises ValueError, TypeError, KeyError or AttributeError for an invalid message."""
    ledger_id(message)
    if not 1 <= len(message.entries) <= ENTRIES:
        raise ValueError("entries")
    places, bodies = [place(e) for e in message.entries], [e["body"] for e in message.entries]
    positions, head = [position for position, _ in places], place(message.head)
    if positions[0] < 1 or positions != list(range(positions[0], positions[0] + len(positions))) or head[0] < positions[-1]:
        raise ValueError("the positions do not follow each other")
    if sum(len(b.encode()) for b in bodies) > BYTES or any("\0" in b or not b for b in bodies):
        raise ValueError("bodies")
    return dict(ledger=message.ledger, positions=positions, hashes=[digest for _, digest in places], bodies=bodies,
                first=positions[0], first_hash=places[0][1], first_body=bodies[0], last=bodies[-1],
                head_position=head[0], head_hash=head[1], head_signature=signature(message.head))


async def keep(message, connection, database):
    values = read(message)
    if await database.row(STORE, dict(values, connection=connection)) is None:
        return problem("records-foreign", "another connection writes this ledger")
    head = message.head if values["head_signature"] else None
    return Receipt(ledger=message.ledger, position=values["positions"][-1], hash=values["hashes"][-1].hex(), head=head)


async def tell_head(message, connection, database):
    nothing = hashlib.sha256(b"gatehouse/ledger/genesis/1\0" + ledger_id(message)).hexdigest()
    row = await database.row(HEAD, dict(ledger=message.ledger, connection=connection))
    position, digest, *signed = row or (0, nothing, None)
    head = dict(zip(("position", "hash", "signature"), signed)) if signed[0] is not None else None
    return Head(ledger=message.ledger, position=position, hash=digest, head=head)


class Handler(BaseHandler):
    async def handle(self, context, responder):
        if not context.connection_ready:
            return
        work = keep if isinstance(context.message, Records) else tell_head
        try:
            answer = await work(context.message, context.connection_record.connection_id, context.inject(Database))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            answer = problem("records-refused", "against the rules: %s" % type(error).__name__)
        except NotStored as error:
            logging.getLogger(__name__).error("nothing is stored: %s", error)
            answer = problem("records-not-stored", "nothing is stored at present")
        answer.assign_thread_from(context.message)
        await responder.send_reply(answer)


def problem(code, text):
    return ProblemReport(description={"code": code, "en": text})


def kind(name, *members):
    """Returns the class of a message, as ACA-Py requires it. Members are not checked here; the handler checks them."""
    def init(self, **values):
        self.__dict__.update((member, values.pop(member, None)) for member in members)
        messages.AgentMessage.__init__(self, **values)
    model = type(name, (messages.AgentMessage,), {"__init__": init})
    own = dict({member: fields.Raw(allow_none=True) for member in members}, Meta=type("Meta", (), dict(model_class=model, unknown=EXCLUDE)))
    schema = type(name + "Schema", (messages.AgentMessageSchema,), own)
    model.Meta = type("Meta", (), dict(handler_class=Handler, message_type=PROTOCOL + name, schema_class=schema))
    return model


Records, Receipt = kind("records", "ledger", "entries", "head"), kind("receipt", "ledger", "position", "hash", "head")
HeadQuery, Head = kind("head-query", "ledger"), kind("head", "ledger", "position", "hash", "head")


async def setup(context):
    """Registers the message types with ACA-Py, which calls this function at its start."""
    values = (context.settings.get("plugin_config") or {}).get("verification_report") or {}
    context.injector.bind_instance(Database, Database(values.get("database") or ""))
    types = DIDCommPrefix.qualify_all({model.Meta.message_type: model for model in (Records, HeadQuery)})
    context.inject(ProtocolRegistry).register_message_types(types)
