create table repositories (
  repository_id   bigint primary key,
  installation_id bigint not null,
  owner           text not null,
  name            text not null,
  default_branch  text,
  seen_at         timestamptz not null default now()
);
create index repositories_installation on repositories (installation_id);
create index repositories_name on repositories (lower(owner), lower(name));

create table pushes (
  repository_id bigint not null,
  ref           text not null,
  after_sha     text not null,
  before_sha    text not null,
  sender_login  text not null,
  sender_id     bigint not null,
  sender_type   text not null,
  delivered_at  timestamptz not null default now(),
  primary key (repository_id, ref, after_sha, before_sha)
);
create index pushes_after on pushes (repository_id, after_sha);
create index pushes_delivered on pushes (delivered_at);

create table reviews (
  repository_id  bigint not null,
  pull_number    integer not null,
  review_id      bigint not null,
  reviewer_id    bigint not null,
  reviewer_login text not null,
  state          text not null,
  commit_id      text not null,
  base_ref       text not null,
  bundle_digest  text,
  ticket_digest  text,
  submitted_at   timestamptz not null,
  recorded_at    timestamptz not null default now(),
  source         text not null check (source in ('delivery', 'observed')),
  primary key (repository_id, review_id)
);
create index reviews_pull on reviews (repository_id, pull_number);

create table check_runs (
  repository_id bigint not null,
  check_run_id  bigint not null,
  head_sha      text not null,
  name          text not null,
  external_id   text not null,
  status        text not null,
  conclusion    text,
  output_digest text not null,
  updated_at    timestamptz not null default now(),
  primary key (repository_id, check_run_id)
);
create index check_runs_head on check_runs (repository_id, head_sha, name);

create table decisions (
  id            bigint generated always as identity primary key,
  key           text not null,
  repository_id bigint not null,
  head_sha      text not null,
  verdict_key   text not null,
  verdict       jsonb not null,
  snapshot      bytea not null,               -- zlib
  plan          jsonb not null,
  requests      jsonb not null,               -- purpose -> number of requests
  decided_at    timestamptz not null default now()
);
alter table decisions alter column snapshot set storage external;
create index decisions_key on decisions (key, id desc);
create index decisions_head on decisions (repository_id, head_sha, id desc);
create index decisions_decided on decisions (decided_at);

create table ci_runs (
  repository_id bigint not null,
  run_id        bigint not null,
  attempt       integer not null,
  updated_at    text not null,                -- as GitHub wrote it; only compared for equality
  facts         jsonb not null,
  recorded_at   timestamptz not null default now(),
  primary key (repository_id, run_id, attempt)
);
create index ci_runs_recorded on ci_runs (recorded_at);

create table notices (
  repository_id bigint not null,
  pull_number   integer not null,
  purpose       text not null,
  subject       text not null,
  comment_id    bigint,                       -- null from the intent until the comment is known to stand
  created_at    timestamptz not null default now(),
  primary key (repository_id, pull_number, purpose, subject)
);

create table landings (
  repository_id bigint not null,
  ref           text not null,
  sha           text not null,
  pull_number   integer,
  judged        boolean not null,
  alarm         text,
  seen_at       timestamptz not null default now(),
  primary key (repository_id, ref, sha)
);
create index landings_seen on landings (seen_at);
