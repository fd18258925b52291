-- Buttons that people pressed on pages, so that each writes its comment once.
create table page_commands (
  key text primary key,
  repository_id bigint not null,
  thread bigint not null,
  ticket text not null,
  person_id bigint not null,
  body text not null,
  begun boolean not null default false,
  comment_id bigint,
  pressed_at timestamptz not null default now()
);
create index on page_commands (repository_id, comment_id);
