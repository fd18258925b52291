-- Whether what was reviewed or approved was the head then; null: not known.
alter table reviews add column at_head boolean;
alter table comment_approvals add column at_head boolean;
