-- One commit can be the head of several pull requests, and a pull request can change its base: which bases a head had.
alter table pull_heads
  add column base_ref text not null default '',
  add column head_repository_id bigint;       -- null: the fork was deleted
alter table pull_heads drop constraint pull_heads_pkey;
alter table pull_heads add primary key (repository_id, number, head_sha, base_ref);
create index pull_heads_sha on pull_heads (repository_id, head_sha);
