-- What each verifier run was told, as one digest. A run that an earlier version started has none and counts for nothing.
alter table verifications add column order_digest text not null default '';
