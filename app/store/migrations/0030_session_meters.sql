-- Keys for models at the metering gateway, one a session. The key itself is known to its agent alone.
create table session_meters (
  session_id bigint primary key references sessions on delete cascade,
  repository_id bigint not null,
  number integer not null,                    -- of the ticket
  key_hash text not null,                     -- SHA-256 (hex), by which the gateway knows the key too
  budget numeric(12, 4) not null,             -- US dollars at which the gateway refuses the next call
  spend numeric(12, 4) not null default 0,    -- US dollars as last read
  expires_at timestamptz not null,
  blocked_at timestamptz,
  settled_at timestamptz                      -- the last spend was read
);
create index session_meters_open on session_meters (repository_id, number) where settled_at is null;
