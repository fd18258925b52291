use Test::More tests => 2; ok(1, 'one'); TODO: { local $TODO = 'later'; ok(1, 'works by now'); }
