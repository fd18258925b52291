-- What became of canary tickets: each limit as it was tried, and people who let work begin although one did not hold.
create table canaries (
  id bigint generated always as identity primary key,
  limit_name text not null,
  passed boolean not null,
  seen text not null,
  took double precision not null,             -- seconds until the stop held
  ran_at timestamptz not null
);
create index canaries_newest on canaries (limit_name, ran_at desc);
create table canary_lifts (
  id bigint generated always as identity primary key,
  lifted_by text not null,
  because text not null,
  lifted_at timestamptz not null
);
