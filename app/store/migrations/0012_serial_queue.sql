-- The gate's own queue for repositories without a merge queue of GitHub's: one row a pull request.
create table serial_entries (
  repository_id bigint not null,
  number bigint not null,
  installation_id bigint not null,
  target_ref text not null,
  head_sha text not null,
  asked_by text not null,
  joined_at timestamptz not null,
  since timestamptz not null,
  state text not null check (state in ('waiting', 'trying', 'turn', 'refused', 'gone')),
  priority integer not null default 0,
  despite_freeze boolean not null default false,
  trial_base text,
  trial_sha text,
  trial_ref text not null default '',         -- a branch that is to be deleted one day
  held_sha text,                              -- where `mergegate/queue` may be green; while there is one, no other turn
  reason text not null default '',
  errored_since timestamptz,
  primary key (repository_id, number)
);
create index serial_entries_target on serial_entries (repository_id, target_ref);
create index serial_entries_trial on serial_entries (repository_id, trial_sha);

-- `/requeue` comments, each carried out once; `refused` says why one was not.
create table requeues (
  repository_id bigint not null,
  comment_id bigint not null,
  number bigint not null,
  head_sha text not null,
  login text not null,
  jump boolean not null,
  despite_freeze boolean not null,
  refused text,
  done_at timestamptz not null,
  primary key (repository_id, comment_id)
);
create index requeues_pull on requeues (repository_id, number);
