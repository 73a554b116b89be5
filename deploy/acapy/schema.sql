-- The ledgers of gates as an agent stores them, and views that report problems in them. For PostgreSQL 13 or newer.
-- This file may be run repeatedly: psql -v ON_ERROR_STOP=1 -f schema.sql
begin;
create schema if not exists gatehouse;

-- Every received entry, with its text and its hash as received. If two different entries for one position of a ledger
-- come, both are stored (see forks). No row is ever changed.
create table if not exists gatehouse.entry (
    ledger text not null,
    position bigint not null check (position between 1 and 9007199254740992),
    hash bytea not null check (length(hash) = 32),
    body text not null,
    connection text not null,
    received timestamptz not null default now(),
    primary key (ledger, position, hash)
);

-- The connections that write a ledger, each with the time of its last message and with the ledger's end according to
-- the gate.
create table if not exists gatehouse.writer (
    ledger text not null,
    connection text not null,
    kiosk text,
    head_position bigint not null,
    head_hash bytea not null,
    seen timestamptz not null default now(),
    primary key (ledger, connection)
);

-- The newest signed head of each ledger from each connection. If a gate asks for its ledger's head, it gets this head
-- back over the same connection. Only its own signature convinces a gate that its ledger once had more entries. An
-- older head never replaces a newer one. The signatures are not checked here, so the head of one connection never
-- replaces that of another.
create table if not exists gatehouse.signed_head (
    ledger text not null,
    connection text not null,
    position bigint not null,
    hash bytea not null check (length(hash) = 32),
    signature bytea not null check (length(signature) = 64),
    primary key (ledger, connection)
);

-- Returns a record as JSON; null if the text is not JSON, so that no entry makes a view fail. Parallel unsafe,
-- because catching an error needs a subtransaction, which a parallel query must not have.
create or replace function gatehouse.record(body text) returns jsonb
language plpgsql immutable strict parallel unsafe as $$
begin
    return body::jsonb;
exception when others then
    return null;
end $$;

create or replace function gatehouse.number(value jsonb) returns numeric
language sql immutable strict parallel safe as $$
    select case jsonb_typeof(value) when 'number' then value::numeric end
$$;

-- Returns the hash that precedes the first entry of a ledger.
create or replace function gatehouse.genesis(ledger text) returns bytea
language sql immutable strict parallel safe as $$
    select sha256('gatehouse/ledger/genesis/1'::bytea || '\x00'::bytea || convert_to(ledger, 'UTF8'))
$$;

-- Returns the hash of the entry with this text at this position, if the entry before it has the hash `previous`.
create or replace function gatehouse.chain(previous bytea, place bigint, body text) returns bytea
language sql immutable strict parallel safe as $$
    select sha256('gatehouse/ledger/entry/1'::bytea || '\x00'::bytea || previous || int8send(place)
        || int8send(length(convert_to(body, 'UTF8'))::bigint) || convert_to(body, 'UTF8'))
$$;

-- Returns whether connection `c` may add a batch that begins with this entry to ledger `l`. It may if the ledger is
-- new, if the connection wrote to it before, or if the entry continues the stored ledger. Only a gate with the same
-- ledger can continue it; its connection is new after a new invitation.
create or replace function gatehouse.may_write(l text, c text, first bigint, first_hash bytea, first_body text)
returns boolean language sql stable as $$
    select not exists (select from gatehouse.writer w where w.ledger = l)
        or exists (select from gatehouse.writer w where w.ledger = l and w.connection = c)
        or exists (
            select from gatehouse.entry e
            where e.ledger = l and e.position = first - 1 and gatehouse.chain(e.hash, first, first_body) = first_hash)
        or first = 1 and gatehouse.chain(gatehouse.genesis(l), 1, first_body) = first_hash
            and exists (select from gatehouse.entry e where e.ledger = l and e.position = 1 and e.hash = first_hash)
$$;

-- Missing entries: lost, refused, or, at the end of a ledger, not sent yet.
create or replace view gatehouse.gaps as
with place as (
    select distinct ledger, position from gatehouse.entry
), step as (
    select ledger, position, lag(position, 1, 0::bigint) over (partition by ledger order by position) as before from place
), head as (
    select ledger, max(head_position) as position from gatehouse.writer group by ledger
), last as (
    select ledger, max(position) as position from gatehouse.entry group by ledger
)
select ledger, before + 1 as first, position - 1 as last, position - before - 1 as entries, false as is_end
from step where position > before + 1
union all
select head.ledger, coalesce(last.position, 0) + 1, head.position, head.position - coalesce(last.position, 0), true
from head left join last using (ledger) where head.position > coalesce(last.position, 0);

-- Entries whose hash does not follow from their text and the previous entry's hash: one of the two was changed, on
-- the way or in this table. An entry after a gap cannot be checked.
create or replace view gatehouse.chain_breaks as
with link as (
    select ledger, position, hash, body, connection, received,
        lag(position, 1, 0::bigint) over w as before,
        lag(hash, 1, gatehouse.genesis(ledger)) over w as previous
    from gatehouse.entry window w as (partition by ledger order by position, received)
)
select ledger, position, encode(hash, 'hex') as hash, connection, received
from link
where (before <> position - 1
        or hash <> sha256('gatehouse/ledger/entry/1'::bytea || '\x00'::bytea || previous || int8send(position)
            || int8send(length(convert_to(body, 'UTF8'))::bigint) || convert_to(body, 'UTF8')))
    -- At a fork the previous row may not be the previous entry, so compare with every entry of the previous position.
    and (position = 1 or exists (
        select from gatehouse.entry e where e.ledger = link.ledger and e.position = link.position - 1))
    and not exists (
        select from gatehouse.entry e where e.ledger = link.ledger and e.position = link.position - 1
            and gatehouse.chain(e.hash, link.position, link.body) = link.hash)
    and not (position = 1 and gatehouse.chain(gatehouse.genesis(ledger), 1, body) = hash);

-- Positions with more than one entry: an old copy of the gate's ledger was restored and continued, or another program
-- wrote.
create or replace view gatehouse.forks as
select ledger, position, count(*) as entries, array_agg(encode(hash, 'hex') order by received) as hashes,
    array_agg(distinct connection) as connections, min(received) as first_received, max(received) as last_received
from gatehouse.entry group by ledger, position having count(*) > 1;

-- Gates without a message for more than 25 hours. Each gate asks for its ledger's head daily, even without visitors.
create or replace view gatehouse.silent_gates as
select coalesce(kiosk, ledger) as gate, max(seen) as seen, now() - max(seen) as silence
from gatehouse.writer group by coalesce(kiosk, ledger) having max(seen) < now() - interval '25 hours';

-- Every visit once, with the content of its record. `opened` is null if the box has no gate to open, or if it is
-- unknown whether the gate opened (interrupted).
create or replace view gatehouse.visits as
select ledger, position, record ->> 'kiosk' as kiosk, gatehouse.number(record -> 'seq') as seq, record ->> 'visit' as visit,
    record ->> 'time' as time, record ->> 'clock' as clock, record ->> 'result' as result,
    array(select r ->> 'code' from jsonb_array_elements(
        case jsonb_typeof(record -> 'reasons') when 'array' then record -> 'reasons' else '[]' end) r) as reasons,
    record -> 'gate' -> 'opened' = 'true' as opened, record -> 'credential' ->> 'issuer' as issuer,
    record -> 'credential' ->> 'name' as credential, record -> 'predecessor' ->> 'ledger' as predecessor,
    record ->> 'finding' as finding, gatehouse.number(record -> 'dropped') as dropped, received
from (
    select distinct on (ledger, record ->> 'visit') ledger, position, received, record
    from (select ledger, position, received, gatehouse.record(body) as record from gatehouse.entry) e
    where record ->> 'kind' = 'outcome'
    order by ledger, record ->> 'visit', received, position
) v;
commit;
