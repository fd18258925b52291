-- Verifier runs that the gate started, noted before GitHub is asked, so that one that was started is never lost.
create table verifications (
  id text primary key,
  repository_id bigint not null,
  head_sha text not null,
  target_sha text not null,
  policy_digest text not null,
  restored text[] not null,
  new_tests text[] not null,
  run_id bigint,
  facts jsonb,
  refused text,
  started_at timestamptz not null default now()
);
create index verifications_of_head on verifications (repository_id, head_sha);
create index verifications_of_run on verifications (repository_id, run_id);
