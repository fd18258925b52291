print "1..3\nok\nok - two\nnot ok\n";
