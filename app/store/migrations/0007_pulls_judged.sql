-- Whether there was a verdict on this head towards this base.
alter table pulls add column judged boolean not null default false;
