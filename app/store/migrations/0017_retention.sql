-- Since when a head is known, so that heads of pull requests that are long closed can be forgotten.
alter table pull_heads add column noted_at timestamptz not null default now();
