-- Keys of work: what should be looked at again. See app/store/work.py for the rules.
create table work (
  key          text primary key,
  due_at       timestamptz not null,
  priority     integer not null default 0,
  generation   bigint not null default 1,     -- raised by every mark
  claimed      bigint,                        -- the generation that the present or last attempt started from
  lease        uuid,
  leased_until timestamptz,
  attempts     integer not null default 0,    -- counted at claim
  parked       boolean not null default false,
  periodic     boolean not null default false,
  rounds       integer not null default 0,    -- attempts in a row that ended with news waiting
  last_error   text,
  created_at   timestamptz not null default now(),
  check ((lease is null) = (leased_until is null))
);

-- The order of claiming. One point of priority is worth ten seconds of age, so the order of two keys never changes
-- while they wait and can be indexed. (Time zone fixed, because an index needs an immutable expression.)
create index work_rank on work (((due_at at time zone 'UTC') - priority * interval '10 seconds'), due_at)
  where not parked;

create table deliveries (
  hook_id         bigint not null,
  delivery_id     text not null,
  event           text not null,
  action          text,
  installation_id bigint,
  repository_id   bigint,
  received_at     timestamptz not null default now(),
  keys            text[] not null,
  body            bytea not null,             -- zlib
  primary key (hook_id, delivery_id)
);
-- Already compressed; a second compression only costs time.
alter table deliveries alter column body set storage external;
create index deliveries_received on deliveries (received_at);
