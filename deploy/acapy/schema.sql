-- The ledgers of gates as an agent keeps them, and the views that say what is wrong with them. PostgreSQL 13 or newer; may be
-- run again at any time: psql -v ON_ERROR_STOP=1 -f schema.sql
begin;
create schema if not exists gatehouse;

-- Every entry that came, word for word, with the hash that came with it. Two entries at one position of one ledger are both kept:
-- see forks. Nothing here is ever changed.
create table if not exists gatehouse.entry (
    ledger text not null,
    position bigint not null check (position between 1 and 9007199254740992),
    hash bytea not null check (length(hash) = 32),
    body text not null,
    connection text not null,
    received timestamptz not null default now(),
    primary key (ledger, position, hash)
);

-- Which connection writes a ledger, when it was heard of last, and where the gate says that the ledger ends.
create table if not exists gatehouse.writer (
    ledger text not null,
    connection text not null,
    kiosk text,
    head_position bigint not null,
    head_hash bytea not null,
    seen timestamptz not null default now(),
    primary key (ledger, connection)
);

-- The newest signed head of each ledger that came over a connection. A gate that asks what is here gets it back over
-- the same connection: it believes no agent that its ledger was once further, except with its own signature. An older
-- head never replaces a newer one. Signatures are not checked here, so the head of one connection never replaces that
-- of another.
create table if not exists gatehouse.signed_head (
    ledger text not null,
    connection text not null,
    position bigint not null,
    hash bytea not null check (length(hash) = 32),
    signature bytea not null check (length(signature) = 64),
    primary key (ledger, connection)
);

-- A record as JSON; null when the text is none, so that no entry can spoil a view. Catching an error is a subtransaction, which
-- no parallel query may have.
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

-- What stands before the first entry of a ledger.
create or replace function gatehouse.genesis(ledger text) returns bytea
language sql immutable strict parallel safe as $$
    select sha256('gatehouse/ledger/genesis/1'::bytea || '\x00'::bytea || convert_to(ledger, 'UTF8'))
$$;

-- The hash of the entry at a position behind an entry of that hash.
create or replace function gatehouse.chain(previous bytea, place bigint, body text) returns bytea
language sql immutable strict parallel safe as $$
    select sha256('gatehouse/ledger/entry/1'::bytea || '\x00'::bytea || previous || int8send(place)
        || int8send(length(convert_to(body, 'UTF8'))::bigint) || convert_to(body, 'UTF8'))
$$;

-- Whether a connection may add a batch that begins with that entry: the ledger is new, or it wrote there before, or the entry
-- continues what is there, which only a gate with that very ledger can know (it came back by a new invitation).
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

-- Entries that are not here: lost, refused, or (the end) not sent yet.
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

-- Entries whose hash is not that of their text behind the entry before: one of them was changed, on the way or here. An entry
-- behind a gap cannot be told about.
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
    -- Beside a fork the entry before is not the one of the line above: any of its position will do.
    and (position = 1 or exists (
        select from gatehouse.entry e where e.ledger = link.ledger and e.position = link.position - 1))
    and not exists (
        select from gatehouse.entry e where e.ledger = link.ledger and e.position = link.position - 1
            and gatehouse.chain(e.hash, link.position, link.body) = link.hash)
    and not (position = 1 and gatehouse.chain(gatehouse.genesis(ledger), 1, body) = hash);

-- Positions with more than one entry: the gate's ledger was put back and went on, or somebody else wrote.
create or replace view gatehouse.forks as
select ledger, position, count(*) as entries, array_agg(encode(hash, 'hex') order by received) as hashes,
    array_agg(distinct connection) as connections, min(received) as first_received, max(received) as last_received
from gatehouse.entry group by ledger, position having count(*) > 1;

-- Gates that were not heard of for more than a day: each asks for its ledger's head daily, visitors or not.
create or replace view gatehouse.silent_gates as
select coalesce(kiosk, ledger) as gate, max(seen) as seen, now() - max(seen) as silence
from gatehouse.writer group by coalesce(kiosk, ledger) having max(seen) < now() - interval '25 hours';

-- Every visit once, with what its record says. `opened` is null if the box opens nothing, and if it is not known
-- (interrupted).
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
