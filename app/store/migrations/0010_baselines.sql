-- The test reports of a run, beside its other facts; `reports_by` says which artifacts and files were taken for reports.
alter table ci_runs
  add column reports jsonb,
  add column reports_by text;

-- What the newest green run of each workflow file on a branch ran.
create table baselines (
  repository_id bigint not null,
  ref text not null,
  workflow text not null,                     -- path
  facts jsonb not null,
  recorded_at timestamptz not null default now(),
  primary key (repository_id, ref, workflow)
);

-- The commit of a branch whose runs were last looked at for that.
create table baseline_looks (
  repository_id bigint not null,
  ref text not null,
  sha text not null,
  primary key (repository_id, ref)
);
