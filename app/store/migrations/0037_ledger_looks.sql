-- A push of which nobody heard what became is looked after at its branch: when next, null once it is settled.
alter table ledger add column look_at timestamptz;
create index ledger_look on ledger (look_at) where look_at is not null;
