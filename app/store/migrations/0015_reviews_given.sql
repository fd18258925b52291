-- What a review said when it was first seen, and who dismissed it: a veto outlives its dismissal by others.
alter table reviews
  add column given text,
  add column dismissed_by text;
update reviews set given = state where state <> 'DISMISSED';
