use Test::More tests => 2; ok(1, 'one'); BAIL_OUT('no database');
