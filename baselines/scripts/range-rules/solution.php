<?php
// Answer every case of a suite: versions, rules, and what rules accept.

require_once __DIR__ . '/stretches.php';

function answer(array $case): string
{
    try {
        $rules = array_map(fn ($name) => isset($case[$name]) ? rule($case[$name]) : null, ['rule', 'outer', 'inner', 'left', 'right']);
        $one = isset($case['version']) ? version($case['version']) : null;
        $list = array_map(fn ($text) => [$text, version($text)], $case['versions'] ?? []);
    } catch (BadRule) {
        return 'error: bad rule';
    } catch (BadVersion) {
        return 'error: bad version';
    }
    [$rule, $outer, $inner, $left, $right] = $rules;
    return match ($case['op']) {
        'canon' => $one->form,
        'grade' => $one->grade(),
        'order' => ordered($list, $case['newest_first'] ?? false),
        'read' => implode("\n", array_map(fn ($conditions) => implode(', ', array_map(fn ($one) => $one[0] . $one[1], $conditions)), $rule)),
        'accepts' => accepts($rule, $one) ? 'true' : 'false',
        'pick' => implode("\n", array_column(array_filter($list, fn ($item) => accepts($rule, $item[1])), 0)) ?: 'none',
        'spans' => told(stretches($rule), branches($rule)),
        'within' => within($inner, $outer) ? 'true' : 'false',
        'overlap' => overlap($left, $right) ? 'true' : 'false',
    };
}

function ordered(array $list, bool $newest_first): string
{
    usort($list, fn ($a, $b) => $newest_first ? by_age($b[1], $a[1]) : by_age($a[1], $b[1]));
    return implode("\n", array_column($list, 0));
}

function told(array $spans, array $branches): string
{
    $lines = [];
    foreach ($spans as [$low, $low_in, $high, $high_in]) {
        $lines[] = ($low_in ? '[' : '(') . $low . ', ' . ($high === null ? 'end)' : $high . ($high_in ? ']' : ')'));
    }
    [$all_but, $names] = $branches;
    sort($names, SORT_STRING);
    $named = implode(' ', $names);
    $lines[] = 'branches: ' . ($all_but ? ($names ? "all but $named" : 'all') : ($names ? $named : 'none'));
    return implode("\n", $lines);
}

$suite = $argv[array_search('--cases-dir', $argv, true) + 1];
$out = __DIR__ . "/rcb_tests/stdout/$suite";
is_dir($out) || mkdir($out, 0777, true);
foreach (glob(__DIR__ . "/rcb_tests/$suite/*.json") as $file) {
    foreach (json_decode(file_get_contents($file), true)['cases'] as $index => $case) {
        try {
            $text = answer($case['input']);
        } catch (Throwable $error) {
            fwrite(STDERR, basename($file) . " $index: {$error->getMessage()}\n");
            continue;
        }
        file_put_contents(sprintf('%s/%s@%03d.txt', $out, basename($file, '.json'), $index), "$text\n");
    }
}
