-- What the analysis of a difference said; `version` is of the program's rules, so that newer rules look again.
create table analyses (
  repository_id bigint not null,
  old_oid text not null,
  new_oid text not null,
  version text not null,
  facts jsonb not null,
  recorded_at timestamptz not null default now(),
  primary key (repository_id, old_oid, new_oid)
);
