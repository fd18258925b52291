use Test::More tests => 3; ok(1, 'one'); SKIP: { skip 'no network', 1; ok(0) } TODO: { local $TODO = 'later'; ok(0, 'currency'); }
