-- What agents may do through the proxy.
create table sessions (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,           -- SHA-256; the token itself is kept nowhere
  installation_id bigint not null,            -- of the courier App
  repository_id bigint not null,
  owner text not null,
  repository text not null,
  branch text not null,                       -- full ref
  base text not null,                         -- full ref
  ticket integer,
  agent text not null,
  operator text,
  rights text[] not null,
  opened_by text not null,
  opened_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_because text,
  frozen_at timestamptz,
  frozen_because text
);
-- A branch belongs to one session at a time. An expired one is ended before the next is opened.
create unique index sessions_branch on sessions (repository_id, branch) where ended_at is null;
create index sessions_ticket on sessions (repository_id, ticket);

-- What the next push's answer tells the agent.
create table session_words (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions on delete cascade,
  words text not null,
  said_at timestamptz
);
create index session_words_unsaid on session_words (session_id, id) where said_at is null;

-- What sessions wrote, noted before it is sent. While `ended_at` is null it may still happen; `alive_until` is renewed
-- by the process that sends it, so that one which died is known.
create table ledger (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions on delete cascade,
  repository_id bigint not null,
  route text not null,                        -- `push`, or method and template of a route of the API
  ref text,
  old_oid text,
  new_oid text,
  bytes bigint,
  number integer,                             -- of the issue or pull request
  object_id bigint,                           -- of the comment
  node_id text,
  began_at timestamptz not null default now(),
  alive_until timestamptz not null,
  ended_at timestamptz,
  outcome text                                -- `done`, `failed` or `unknown`
);
create index ledger_open on ledger (session_id) where ended_at is null;
create index ledger_session on ledger (session_id, id);
create index ledger_ref on ledger (repository_id, ref, new_oid);
