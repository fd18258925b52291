# Prints, as JSON, how TAP::Parser (the parser of prove) counts the streams of the files given: `.tap` files are read,
# others are run with perl. `all_ok` is what prove calls passed: skipped tests and todo tests are among them.
use strict;
use warnings;
use JSON::PP;
use TAP::Parser;

my %sum = map { $_ => 0 } qw(passed failed skipped xfailed xpassed broken all_ok);
for my $file (@ARGV) {
    my $parser = TAP::Parser->new(
        $file =~ /\.tap$/ ? { tap => do { local (@ARGV, $/) = $file; <> } } : { source => $file });
    my $failed = 0;
    while (my $result = $parser->next) {
        next unless $result->is_test;
        my $good = $result->is_actual_ok;
        my $kind = $result->has_skip ? 'skipped' : $result->has_todo ? ($good ? 'xpassed' : 'xfailed') : $good ? 'passed' : 'failed';
        $sum{$kind}++;
        $failed += $kind eq 'failed';
    }
    $sum{all_ok} += $parser->passed;
    $sum{broken}++ if $parser->has_problems && !$failed;
}
print encode_json(\%sum), "\n";
