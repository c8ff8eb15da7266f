<?php

/* Answer all case files of one folder: php answer.php CASES OUTPUTS. Each case's answer becomes one file. */

use Composer\Semver\Constraint\Constraint;
use Composer\Semver\Constraint\ConstraintInterface;
use Composer\Semver\Constraint\MatchAllConstraint;
use Composer\Semver\Constraint\MultiConstraint;
use Composer\Semver\Interval;
use Composer\Semver\Intervals;
use Composer\Semver\Semver;
use Composer\Semver\VersionParser;

require __DIR__ . '/vendor/Semver/autoload.php';

final class Refused extends Exception
{
}

function canon(string $version): string
{
    try {
        return (new VersionParser())->normalize($version);
    } catch (UnexpectedValueException $error) {
        throw new Refused('error: bad version');
    }
}

function rule(string $text): ConstraintInterface
{
    try {
        return (new VersionParser())->parseConstraints($text);
    } catch (UnexpectedValueException $error) {
        throw new Refused('error: bad rule');
    }
}

/** Return one alternative's conditions as one line. */
function conditions(ConstraintInterface $part): string
{
    if ($part instanceof MultiConstraint) {
        return implode(', ', array_map('conditions', $part->getConstraints()));
    }

    return $part instanceof MatchAllConstraint ? '*' : $part->getOperator() . $part->getVersion();
}

function reading(ConstraintInterface $rule): array
{
    $several = $rule instanceof MultiConstraint && $rule->isDisjunctive();

    return array_map('conditions', $several ? $rule->getConstraints() : [$rule]);
}

function spans(ConstraintInterface $rule): array
{
    $found = Intervals::get($rule);
    $lines = [];
    foreach ($found['numeric'] as $interval) {
        $start = $interval->getStart();
        $end = $interval->getEnd();
        $endless = (string) $end === (string) Interval::untilPositiveInfinity();
        $lines[] = ($start->getOperator() === '>=' ? '[' : '(') . $start->getVersion() . ', '
            . ($endless ? 'end' : $end->getVersion()) . ($end->getOperator() === '<=' ? ']' : ')');
    }
    $names = $found['branches']['names'];
    sort($names, SORT_STRING);
    if ($found['branches']['exclude']) {
        $branches = $names === [] ? 'all' : 'all but ' . implode(' ', $names);
    } else {
        $branches = $names === [] ? 'none' : implode(' ', $names);
    }
    $lines[] = 'branches: ' . $branches;

    return $lines;
}

function pick(array $versions, string $text): array
{
    rule($text);
    array_map('canon', $versions);

    return Semver::satisfiedBy($versions, $text) ?: ['none'];
}

function order(array $versions, bool $newestFirst): array
{
    array_map('canon', $versions);

    return $newestFirst ? Semver::rsort($versions) : Semver::sort($versions);
}

function accepts(string $text, string $version): bool
{
    return rule($text)->matches(new Constraint('==', canon($version)));
}

function word(bool $value): array
{
    return [$value ? 'true' : 'false'];
}

function answer(array $case): array
{
    switch ($case['op']) {
        case 'canon':
            return [canon($case['version'])];
        case 'grade':
            return [VersionParser::parseStability(canon($case['version']))];
        case 'read':
            return reading(rule($case['rule']));
        case 'accepts':
            return word(accepts($case['rule'], $case['version']));
        case 'pick':
            return pick($case['versions'], $case['rule']);
        case 'order':
            return order($case['versions'], $case['newest_first'] ?? false);
        case 'spans':
            return spans(rule($case['rule']));
        case 'within':
            return word(Intervals::isSubsetOf(rule($case['inner']), rule($case['outer'])));
        case 'overlap':
            return word(Intervals::haveIntersections(rule($case['left']), rule($case['right'])));
    }

    return ['error: unknown op'];
}

[, $folder, $outputs] = $argv;
if (!is_dir($outputs)) {
    mkdir($outputs, 0755, true);
}
foreach (glob("$folder/*.json") as $file) {
    $cases = json_decode(file_get_contents($file), true, 64, JSON_THROW_ON_ERROR)['cases'];
    foreach ($cases as $index => $case) {
        try {
            $lines = answer($case['input']);
        } catch (Refused $refused) {
            $lines = [$refused->getMessage()];
        }
        file_put_contents(sprintf('%s/%s@%03d.txt', $outputs, basename($file, '.json'), $index), implode("\n", $lines) . "\n");
    }
}
