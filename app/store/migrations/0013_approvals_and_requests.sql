-- What each code in a check's title stood for. A code is never given to a second verdict of the same pull request.
create table approval_codes (
  repository_id bigint not null,
  pull_number integer not null,
  code text not null,
  verdict_key text not null,
  head_sha text not null,
  base_ref text not null,
  bundle_digest text,
  ticket_digest text,
  shown_at timestamptz not null default now(),
  primary key (repository_id, pull_number, code)
);

-- Comments that approve. What one is about is told once, when it is first looked at; until then `commit_id` is null.
-- `base_ref` empty: not known. `bundle_digest` empty: there was none; null: not known.
create table comment_approvals (
  repository_id bigint not null,
  comment_id bigint not null,
  pull_number integer not null,
  author_id bigint not null,
  author_login text not null,
  word text not null,
  created_at timestamptz not null,
  source text not null,
  withdrawn boolean not null default false,
  answer text,
  commit_id text,
  base_ref text,
  bundle_digest text,
  ticket_digest text,
  primary key (repository_id, comment_id)
);
create index comment_approvals_of_pull on comment_approvals (repository_id, pull_number);

-- Whom the gate asked for a review: `@login` or `owner/team`. Whoever is gone from GitHub's list and not withdrawn by
-- the gate took themselves off, was taken off, or has answered, and is not asked again.
create table review_requests (
  repository_id bigint not null,
  pull_number integer not null,
  reviewer text not null,
  asked_at timestamptz not null default now(),
  withdrawn_at timestamptz,
  primary key (repository_id, pull_number, reviewer)
);
