use strict; use warnings; use Test::More tests => 3;
is(1 + 2, 3, 'adds');
is(0, 0, 'empty');
ok(1, 'third');
