-- The issue of a repository in which its tickets are shown, once a person made it the board.
create table ticket_boards (
  repository_id bigint primary key,
  number integer not null,                    -- of the issue
  set_by text not null,
  set_at timestamptz not null default now(),
  news_digest text,                           -- of what was written last, without times and amounts
  text_digest text,                           -- of the body as GitHub took it
  written_at timestamptz
);
