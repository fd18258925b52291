-- What independent judges said of pull requests. A row is written before a judge is called, so that none is called again
-- for the same subject; `tries` counts calls that began.
create table opinions (
  id text primary key,
  repository_id bigint not null,
  number integer not null,                    -- of the pull request
  ticket integer,
  ticket_digest text,
  judge text not null,                        -- the command, by the name that the server gives it
  head_sha text not null,
  base_sha text not null,                     -- the merge base: what is shown is the difference from there
  target_sha text not null,                   -- the target's tip when it was asked for
  asked_at timestamptz not null,
  tries integer not null default 0,
  began_at timestamptz,
  ended_at timestamptz,
  exit_code integer,                          -- null: it did not end by itself
  given_digest text,
  output_digest text,
  said text check (said in ('pass', 'fail', 'cannot_tell')),
  reasons text[] not null default '{}',
  model text,
  cost numeric(12, 4)                         -- US dollars, as the judge told them
);
create index opinions_of_head on opinions (repository_id, head_sha);
create index opinions_of_day on opinions (repository_id, asked_at);
