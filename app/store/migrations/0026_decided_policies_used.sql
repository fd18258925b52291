-- States of a policy that no decision rests on any more are looked for by this.
create index decisions_policy on decisions (policy) where policy is not null;
