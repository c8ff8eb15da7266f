<?php
// What a rule accepts, as stretches [low, low belongs, high, high belongs] (high null: no end) and branches [all but?, names].

require_once __DIR__ . '/rules.php';

const WHOLE = [['0.0.0.0-dev', true, null, false]];

function upto(?string $left, ?string $right): int
{
    return $left === null || $right === null ? ($left === null) <=> ($right === null) : compare($left, $right);
}

function common(array $left, array $right): array
{
    $found = [];
    foreach ($left as [$a, $a_in, $b, $b_in]) {
        foreach ($right as [$c, $c_in, $d, $d_in]) {
            $low = compare($a, $c);
            $high = upto($b, $d);
            $one = [
                $low >= 0 ? $a : $c, $low > 0 ? $a_in : ($low < 0 ? $c_in : $a_in && $c_in),
                $high <= 0 ? $b : $d, $high < 0 ? $b_in : ($high > 0 ? $d_in : $b_in && $d_in),
            ];
            $size = upto($one[0], $one[2]);
            if ($size < 0 || ($size === 0 && $one[1] && $one[3])) {
                $found[] = $one;
            }
        }
    }
    return $found;
}

/** Sort stretches and make one of those that overlap or touch. */
function merged(array $all): array
{
    usort($all, fn ($a, $b) => compare($a[0], $b[0]) ?: $b[1] <=> $a[1]);
    $found = [];
    foreach ($all as $next) {
        $last = array_key_last($found);
        if ($last !== null) {
            $gap = upto($found[$last][2], $next[0]);
            if ($gap > 0 || ($gap === 0 && ($found[$last][3] || $next[1]))) {
                $order = upto($found[$last][2], $next[2]);
                $found[$last][3] = $order < 0 ? $next[3] : ($order > 0 ? $found[$last][3] : $found[$last][3] || $next[3]);
                $found[$last][2] = $order < 0 ? $next[2] : $found[$last][2];
                continue;
            }
        }
        $found[] = $next;
    }
    return $found;
}

function stretches(array $rule): array
{
    $all = [];
    foreach ($rule as $conditions) {
        $found = WHOLE;
        foreach ($conditions as [$sign, $form, $branch]) {
            $found = $branch ? ($sign === '==' ? [] : $found) : common($found, match ($sign) {
                '*' => WHOLE,
                '==' => [[$form, true, $form, true]],
                '!=' => [['0.0.0.0-dev', true, $form, false], [$form, false, null, false]],
                '<', '<=' => [['0.0.0.0-dev', true, $form, $sign === '<=']],
                '>', '>=' => [[$form, $sign === '>=', null, false]],
            });
        }
        array_push($all, ...$found);
    }
    return merged($all);
}

function branches(array $rule): array
{
    $all = [false, []];
    foreach ($rule as $conditions) {
        $found = [true, []];
        foreach ($conditions as [$sign, $form, $branch]) {
            $one = match (true) {
                $sign === '*' => [true, []],
                $sign === '!=' => [true, $branch ? [$form] : []],
                default => [false, $sign === '==' && $branch ? [$form] : []],
            };
            $found = both($found, $one);
        }
        $all = flipped(both(flipped($all), flipped($found)));
    }
    return $all;
}

function flipped(array $set): array
{
    return [!$set[0], $set[1]];
}

function both(array $left, array $right): array
{
    if ($left[0] && $right[0]) {
        return [true, array_unique([...$left[1], ...$right[1]])];
    }
    if ($left[0]) {
        [$left, $right] = [$right, $left];
    }
    return [false, $right[0] ? array_diff($left[1], $right[1]) : array_intersect($left[1], $right[1])];
}

function is_nothing(array $set): bool
{
    return !$set[0] && !$set[1];
}

function within(array $inner, array $outer): bool
{
    $spans = stretches($inner);
    return merged(common($spans, stretches($outer))) == $spans
        && is_nothing(both(branches($inner), flipped(branches($outer))));
}

function overlap(array $left, array $right): bool
{
    return $left === [[ANY]] || $right === [[ANY]] || common(stretches($left), stretches($right))
        || !is_nothing(both(branches($left), branches($right)));
}
