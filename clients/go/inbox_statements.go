package hermod

// The statements of the inbox. All clients have the same, and so the same table. Made by `bun run clients`.

const sqlCreateTable = `
create table if not exists hermod_inbox (
  endpoint text not null,
  sequence bigint not null,
  id text,
  ordering_key text,
  event text,
  body text not null,
  done integer not null,
  arrived_at bigint not null,
  retry_at bigint not null,
  tries integer not null,
  frontier bigint,
  primary key (endpoint, sequence),
  unique (endpoint, id)
)
`

const sqlCreateIndex = `
create index if not exists hermod_inbox_waiting on hermod_inbox (endpoint, sequence) where done = 0
`

const sqlArrive = `
insert into hermod_inbox (endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier) values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, null)
on conflict do nothing
returning sequence
`

const sqlReadArrived = `
select id from hermod_inbox where endpoint = $1 and sequence = $2
`

const sqlBeginOrder = `
insert into hermod_inbox (endpoint, sequence, id, ordering_key, event, body, done, arrived_at, retry_at, tries, frontier) values ($1, 0, null, null, null, '', 1, $3, 0, 0, $2)
on conflict do nothing
`

const sqlReadBehindFrontier = `
select n.sequence, f.frontier from hermod_inbox f
join hermod_inbox n on n.endpoint = $1 and n.sequence > f.frontier
where f.endpoint = $1 and f.sequence = 0
order by n.sequence limit 100
`

const sqlMoveFrontier = `
update hermod_inbox set frontier = $2 where endpoint = $1 and sequence = 0 and frontier < $2
`

const sqlReadFrontier = `
select frontier from hermod_inbox where endpoint = $1 and sequence = 0
`

const sqlTakeFirst = `
with waiting as (
  select w.sequence, coalesce(w.ordering_key, '') as ordering_key from hermod_inbox w
  where w.endpoint = $1 and w.done = 0 and w.sequence <= (select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0)
  order by w.sequence limit 100
)
select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
from hermod_inbox r
where r.endpoint = $1 and r.done = 0 and r.retry_at <= $2
  and r.sequence in (select min(sequence) from waiting group by ordering_key)
order by r.sequence limit 1
`

const sqlTakeOthers = `
select r.sequence, r.id, r.ordering_key, r.event, r.body, r.tries
from hermod_inbox r
where r.endpoint = $1 and r.done = 0 and r.sequence > $2 and coalesce(r.ordering_key, '') = $3
  and r.sequence <= (select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0)
order by r.sequence limit $4
`

const sqlFinish = `
update hermod_inbox set done = 1, body = ''
where endpoint = $1 and done = 0 and sequence between $2 and $3 and coalesce(ordering_key, '') = $4
`

const sqlPostpone = `
update hermod_inbox set retry_at = $3, tries = tries + 1
where endpoint = $1 and sequence = $2 and done = 0
`

const sqlReadBacklog = `
select
  (select count(*) from (select 1 from hermod_inbox where endpoint = $1 and done = 0 limit 1) w) as waiting,
  (select min(arrived_at) from hermod_inbox where endpoint = $1 and sequence > $2) as gap_since
`

const sqlPrune = `
delete from hermod_inbox
where endpoint = $1 and done = 1 and arrived_at < $2 and sequence > 0
  and sequence <= coalesce((select f.frontier from hermod_inbox f where f.endpoint = $1 and f.sequence = 0), sequence)
`
