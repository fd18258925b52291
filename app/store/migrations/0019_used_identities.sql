-- Identity tokens that became a session of the proxy, so that none does so twice.
create table used_identities (
  digest bytea primary key,                   -- SHA-256 of what the issuer signed
  expires_at timestamptz not null             -- afterwards the token is refused by its own words
);
create index used_identities_expired on used_identities (expires_at);
