-- Looks in a row at which the queue did not show the group.
alter table merge_groups add column looks_without integer not null default 0;
