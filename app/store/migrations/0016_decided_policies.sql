-- What each decision was judged by, so that it can be judged again: every state of a policy once.
create table decided_policies (
  digest text primary key,                    -- SHA-256 of the state before compression
  state bytea not null                        -- zlib
);
alter table decisions add column policy text references decided_policies;
alter table decisions add column gated boolean;
