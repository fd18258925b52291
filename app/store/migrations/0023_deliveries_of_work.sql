-- The id of the webhook delivery that marked a key last, for the log.
alter table work add column delivery text;
