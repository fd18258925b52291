-- The test reports of a run, beside its other facts; `reports_by` says which artifacts and files were taken for reports.
alter table ci_runs
  add column reports jsonb,
  add column reports_by text;

-- What green runs ran that stand for a branch, each from a time on.
create table baselines (
  repository_id bigint not null,
  ref text not null,
  workflow text not null,                     -- path
  run_id bigint not null,
  since timestamptz not null,
  facts jsonb not null,
  primary key (repository_id, ref, workflow, run_id)
);
create index baselines_since on baselines (repository_id, ref, workflow, since);

-- The commit of a branch whose runs were last looked at for that.
create table baseline_looks (
  repository_id bigint not null,
  ref text not null,
  sha text not null,
  primary key (repository_id, ref)
);
