-- How many tickets of a repository may be in work, one row for each week that was looked at; the newest holds.
create table ticket_steps (
  repository_id bigint not null,
  week date not null,                         -- its Monday, UTC
  step integer not null,
  raised boolean not null,
  because text[] not null,                    -- why it is not higher
  decided_at timestamptz not null default clock_timestamp(),
  primary key (repository_id, week)
);
