-- What of a ticket went up to people. At most one of a ticket is open, and the same matter goes up once.
create table ticket_escalations (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  number integer not null,                    -- of the ticket
  cause text not null,
  matter text not null,                       -- what it is about; the same is brought up once
  way text not null,                          -- push or digest
  detail text not null,                       -- what the agent or the check said
  ordinal integer,                            -- of the agent's question; null: the gate's own matter
  log text,                                   -- address
  head text not null default '',
  path text not null default '',
  attempts integer not null default 0,        -- that the limit allowed
  people text[] not null default '{}',        -- logins, in the order in which they are told
  critical boolean not null default false,
  opened_at timestamptz not null,
  capped_at timestamptz,                      -- when a full day of its person held it back first
  closed_at timestamptz,
  closed_because text,
  unique (repository_id, number, matter)
);
create unique index ticket_escalations_open on ticket_escalations (repository_id, number) where closed_at is null;
create index ticket_escalations_opened on ticket_escalations (opened_at);

-- Messages to people, one row each, written before the comment is posted.
create table ticket_pushes (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  person text not null,
  cause text not null,
  numbers integer[] not null,                 -- tickets
  planned_at timestamptz not null,
  outcome text,                               -- posted, failed, dropped; null: not known yet
  issue integer,                              -- where the comment stands
  comment_id bigint,
  channels integer not null default 0         -- further channels that took it
);
create index ticket_pushes_of on ticket_pushes (repository_id, planned_at);
create index ticket_pushes_at on ticket_pushes (planned_at);
create index ticket_pushes_pending on ticket_pushes (repository_id) where outcome is null;
