-- What a listing of open pull requests is compared with: GitHub's newest stamp and the target's tip at the last look.
alter table pulls
  add column changed_at timestamptz,
  add column target_sha text;

-- When the resync last listed a repository's open pull requests, and in how many pages.
alter table repositories
  add column listed_at timestamptz,
  add column listed_pages integer not null default 0;

-- Up to which delivery, by GitHub's time, the App's deliveries were looked through for lost ones. One row.
create table delivery_search (
  one boolean primary key default true check (one),
  searched_until timestamptz not null
);
