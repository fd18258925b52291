-- oldest: 0032
-- On which day of UTC an attempt's dollars were told: those of a day are the sum of its rows, whenever the attempt began.
create table ticket_costs (
  run_id bigint not null references ticket_runs on delete cascade,
  day date not null,
  repository_id bigint not null,
  cost numeric(12, 4) not null,
  primary key (run_id, day)
);
create index ticket_costs_of on ticket_costs (repository_id, day);

-- Whoever writes a cost, also a process that does not know of this table.
create function ticket_cost_of_day() returns trigger language plpgsql as $$
begin
  insert into ticket_costs (run_id, day, repository_id, cost) values (
    new.id, (clock_timestamp() at time zone 'UTC')::date, new.repository_id,
    new.cost - coalesce(case when tg_op = 'UPDATE' then old.cost end, 0))
  on conflict (run_id, day) do update set cost = ticket_costs.cost + excluded.cost;
  return null;
end $$;
create trigger ticket_runs_cost_told after insert on ticket_runs
  for each row when (new.cost > 0) execute function ticket_cost_of_day();
create trigger ticket_runs_cost_rose after update of cost on ticket_runs
  for each row when (new.cost > coalesce(old.cost, 0)) execute function ticket_cost_of_day();

-- What was told before this is known by the day of its claim alone. Nobody writes meanwhile: the triggers took the lock.
insert into ticket_costs (run_id, day, repository_id, cost)
select id, (claimed_at at time zone 'UTC')::date, repository_id, cost from ticket_runs where cost > 0;
