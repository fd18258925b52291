-- What people gave a ticket beyond what it had: a higher limit, or another path. Never changed.
create table ticket_raises (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  number integer not null,                    -- of the ticket
  what text not null,                         -- minutes, attempts, cost (US dollars) or path
  was numeric(12, 2),                         -- what held before; null for a path
  became numeric(12, 2),
  usual numeric(12, 2),                       -- what the policy gives every ticket
  pattern text,                               -- of a path
  raised_by text not null,                    -- login
  because text not null,                      -- the command with its reason
  at timestamptz not null default clock_timestamp()
);
create index ticket_raises_at on ticket_raises (repository_id, at);
