-- Builds of other CI systems with what their raw logs say, as they were fetched from those systems' servers.
create table ci_builds (
  repository_id bigint not null,
  check_run_id bigint not null,
  stamp text not null,
  facts jsonb not null,
  recorded_at timestamptz not null default now(),
  primary key (repository_id, check_run_id)
);
create index ci_builds_by_age on ci_builds (recorded_at);
