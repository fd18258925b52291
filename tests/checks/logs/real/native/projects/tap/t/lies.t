print "1..2\nok 1\nnot ok 2\n";
print "All tests successful.\nFiles=1, Tests=2,  0 wallclock secs ( 0.01 usr  0.01 sys +  0.02 cusr  0.03 csys =  0.07 CPU)\nResult: PASS\n";
