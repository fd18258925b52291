-- What the gate remembers of pull requests and merge groups between two looks at them.
create table pulls (
  repository_id bigint not null,
  number bigint not null,
  installation_id bigint not null,
  head_sha text not null,
  head_ref text not null,
  base_ref text not null,
  open boolean not null,
  kind text not null,
  seen_at timestamptz not null default now(),
  head_seen_at timestamptz not null default now(),
  wants jsonb not null default '[]',
  errored_since jsonb not null default '{}',
  enqueued_entry text,
  enqueued_head text,
  requests bigint not null default 0,  -- sent to GitHub for it, minting and redirects left out
  primary key (repository_id, number)
);
create index pulls_head on pulls (repository_id, head_sha) where open;
create index pulls_base on pulls (repository_id, base_ref) where open;

-- Every head that a pull request ever had while the gate looked.
create table pull_heads (
  repository_id bigint not null,
  number bigint not null,
  head_sha text not null,
  primary key (repository_id, number, head_sha)
);

create table merge_groups (
  repository_id bigint not null,
  head_sha text not null,
  installation_id bigint not null,
  target_ref text not null,
  errored_since jsonb not null default '{}',
  first_seen_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (repository_id, head_sha)
);

create index ci_runs_head on ci_runs (repository_id, (facts ->> 'head_sha'));

-- Probation: agents' work merged by people, and not taken back.
alter table landings
  add column merged_by_person boolean not null default false,
  add column reverted boolean not null default false;
