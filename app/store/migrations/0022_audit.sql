-- What happened, for whoever must be able to prove it later. Each digest is over the one before and the record.
create table audit_log (
  seq bigint primary key,                     -- without gaps
  recorded_at timestamptz not null,
  kind text not null,
  repository_id bigint,                       -- null: it concerns the whole service
  subject text not null,                      -- `pull:7`, `refs/heads/main`, `session:7`, …
  record text not null,                       -- canonical JSON; the columns before it are copies from there
  digest bytea not null                       -- SHA-256 of the digest before and `record` in UTF-8
);
create index audit_log_about on audit_log (kind, repository_id, subject, seq desc);
create index audit_log_at on audit_log (recorded_at);

-- The end of the chain; whoever adds to it holds this row until the transaction ends. One row.
create table audit_head (
  one boolean primary key default true check (one),
  seq bigint not null,
  digest bytea not null
);

-- Records go only below a checkpoint, which is a record itself and holds the digest that the rest goes on from.
create function audit_log_is_only_added_to() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.seq <= (
    select max((record::jsonb #>> '{data,through}')::bigint) from audit_log where kind = 'checkpoint'
  ) then
    return old;
  end if;
  raise exception 'the audit log is only added to; % is refused', lower(tg_op)
    using hint = 'Old records go by themselves after MERGEGATE_KEEP_AUDIT days.';
end
$$;
create trigger audit_log_rows before update or delete on audit_log
  for each row execute function audit_log_is_only_added_to();
create trigger audit_log_whole before truncate on audit_log
  for each statement execute function audit_log_is_only_added_to();
