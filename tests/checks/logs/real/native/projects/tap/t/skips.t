use Test::More; plan skip_all => 'no database';
