-- Issues that agents work on. `state` is the truth; the label on GitHub is written after it.
create table tickets (
  repository_id bigint not null,
  number integer not null,                    -- of the issue
  installation_id bigint not null,            -- of the gate App
  title text not null,
  state text not null default 'draft',
  ends_as text,                               -- what `stopping` ends as
  since timestamptz not null default now(),   -- when the state was entered
  first_seen_at timestamptz not null default now(),
  form_digest text,                           -- of the body as last seen; null: it cannot be read as a form
  revision integer not null default 0,        -- of the newest snapshot; 0: never accepted
  pool text,                                  -- an agent or a pool; null: any
  attempts integer not null default 0,        -- that began; a claim that never started is taken back
  pull_number integer,
  paused boolean not null default false,
  stop_now boolean not null default false,    -- whether whoever runs the agent should kill it at once
  split text,                                 -- digest of the template whose children are being made
  held_by text,
  held_because text,
  max_minutes integer,                        -- limits as a person set them later; null: the snapshot's
  max_attempts integer,
  max_cost numeric(10, 2),
  label text,                                 -- the `agent/…` label that was written last
  comment_id bigint,                          -- of the one comment that is edited
  comment_digest text,
  primary key (repository_id, number)
);
create unique index tickets_pull on tickets (repository_id, pull_number) where pull_number is not null;
create index tickets_state on tickets (repository_id, state);

-- What was accepted, as it was then. Agents and judges see nothing else.
create table ticket_snapshots (
  repository_id bigint not null,
  number integer not null,
  revision integer not null,
  form jsonb not null,                        -- the canonical form
  digest text not null,
  issue_digest text not null,                 -- of the form in the issue that was accepted
  redirects text[] not null default '{}',     -- what people said since the acceptance, oldest first
  accepted_by text not null,                  -- login of the person behind this revision
  accepted_at timestamptz not null default now(),
  primary key (repository_id, number, revision)
);

-- Every change of state, never changed and never removed before its ticket.
create table ticket_transitions (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  number integer not null,
  from_state text not null,
  to_state text not null,
  event text not null,
  actor text not null,                        -- a login, or the part of the gate that saw it
  cause text not null,
  sha text,
  attempt integer not null,
  at timestamptz not null default clock_timestamp()
);
create index ticket_transitions_of on ticket_transitions (repository_id, number, id);
create index ticket_transitions_at on ticket_transitions (repository_id, at);

-- One row an attempt. At most one of a ticket is open.
create table ticket_runs (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  number integer not null,
  attempt integer not null,
  revision integer not null,
  agent text not null,
  pool text,
  branch text not null,                       -- full ref
  session_id bigint,
  claimed_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  heartbeat_at timestamptz,
  ended_at timestamptz,
  outcome text,                               -- passed, failed, silent, not_started, stopped, cap_hit, …
  cost numeric(12, 4),                        -- US dollars; null: nothing is known
  cost_kind text not null default 'soft',     -- `hard`: metered before it was spent; `soft`: reported
  step integer,
  steps integer,
  percent integer,
  doing text,
  blocker text
);
create unique index ticket_runs_open on ticket_runs (repository_id, number) where ended_at is null;
create index ticket_runs_of on ticket_runs (repository_id, number, id);
create index ticket_runs_claimed on ticket_runs (repository_id, claimed_at);
create index ticket_runs_branch on ticket_runs (repository_id, branch);
create index ticket_runs_session on ticket_runs (session_id);

create table ticket_questions (
  repository_id bigint not null,
  number integer not null,
  ordinal integer not null,                   -- as people see it, from 1
  cause text not null,
  fingerprint text not null,                  -- the same question is asked once
  question text not null,
  options text[] not null default '{}',
  safe text not null,                         -- what happens if nobody answers
  recommended text,
  asked_at timestamptz not null default clock_timestamp(),
  comment_id bigint,
  answer text,
  answered_by text,
  answered_at timestamptz,
  primary key (repository_id, number, ordinal),
  unique (repository_id, number, fingerprint)
);

-- What the agent of a ticket is told.
create table ticket_messages (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  number integer not null,
  kind text not null,                         -- redirect, answer, stop, rejected, failed
  words text not null,
  said_by text not null,
  said_at timestamptz not null default clock_timestamp(),
  delivered_at timestamptz
);
create index ticket_messages_of on ticket_messages (repository_id, number, id);

-- Comments that begin with a command, as they were delivered. Each is carried out once.
create table ticket_commands (
  repository_id bigint not null,
  source text not null,                       -- comment or review
  comment_id bigint not null,
  number integer not null,                    -- of the issue or pull request
  author_login text not null,
  author_id bigint not null,
  body text not null,
  created_at timestamptz not null,
  done_at timestamptz,
  outcome text,                               -- done, refused, unknown, or asked for information
  answer text,
  reacted_at timestamptz,
  primary key (repository_id, source, comment_id)
);
create index ticket_commands_waiting on ticket_commands (repository_id, number) where done_at is null;
create index ticket_commands_unanswered on ticket_commands (repository_id, number) where reacted_at is null;

-- While one stands, no ticket of the repository is given to an agent.
create table ticket_brakes (
  repository_id bigint primary key,
  pulled_by text not null,
  because text not null,
  pulled_at timestamptz not null default clock_timestamp()
);
