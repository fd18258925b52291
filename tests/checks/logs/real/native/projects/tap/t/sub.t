use Test::More; subtest inner => sub { plan tests => 2; ok(1, 'a'); ok(1, 'b'); }; subtest other => sub { ok(1, 'c'); done_testing; }; done_testing;
