-- Tokens with which an agent's machine claims tickets of one repository under one name, and does nothing else.
create table enrolments (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,           -- SHA-256; the token itself is shown once and not kept
  repository_id bigint not null,
  owner text not null,
  repository text not null,
  pool text not null,                         -- the agent or pool that tickets name
  enrolled_by text not null,
  enrolled_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz,                        -- when it claimed a ticket last
  revoked_at timestamptz
);

-- What an agent handed over as its proof through its session, the newest of a head last.
create table ticket_evidence (
  id bigint generated always as identity primary key,
  repository_id bigint not null,
  number integer not null,                    -- of the ticket
  attempt integer not null,
  session_id bigint not null,
  body text not null,                         -- as it was handed over, at most 64 KiB
  digest text not null,
  given_at timestamptz not null default clock_timestamp()
);
create index ticket_evidence_of on ticket_evidence (repository_id, number, id);
