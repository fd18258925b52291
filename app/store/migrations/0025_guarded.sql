-- What the gate last saw of the rules of a repository's default branch; `since` is when it first looked.
create table guarded_branches (
  repository_id bigint primary key,
  since timestamptz not null,
  rules_digest text not null,
  gaps text[] not null                        -- what lets somebody past the gate; none: it is protected
);
