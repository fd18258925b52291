-- What judges cost is part of what a ticket used, which is summed at each look at it.
create index opinions_of_ticket on opinions (repository_id, ticket) where ticket is not null;
