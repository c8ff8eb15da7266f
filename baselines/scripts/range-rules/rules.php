<?php
// Rules: alternatives of conditions. A condition is [sign, full form, whether it is a branch]; the sign '*' accepts all.

require_once __DIR__ . '/versions.php';

final class BadRule extends Exception
{
}

const ANY = ['*', '', false];

/** @return array<array<array{string, string, bool}>> the alternatives, with those that touch joined */
function rule(string $text): array
{
    try {
        $read = array_map('alternative', preg_split('/\s*\|\|?\s*/', trim($text)));
    } catch (BadVersion) {
        throw new BadRule();
    }
    $joined = [array_shift($read)];
    foreach ($read as $next) {
        $last = end($joined);
        $pairs = count($last) === 2 && count($next) === 2 && $last[0][0] === '>=' && $last[1][0] === '<';
        if ($pairs && $next[0][0] === '>=' && in_array($next[1][0], ['<', '<='], true) && $last[1][1] === $next[0][1]) {
            $joined[array_key_last($joined)] = [$last[0], $next[1]];
        } else {
            $joined[] = $next;
        }
    }
    return $joined;
}

/** @return array<array{string, string, bool}> */
function alternative(string $text): array
{
    $text = trim($text);
    if (preg_match('/^(.*?)([^\s,]*)#[A-Za-z0-9]+$/s', $text, $found)) {
        $fits = preg_match('/^dev-./', $found[2]) || preg_match('/\.x-dev$/', $found[2]);
        if (!$fits || preg_match('/[<>=!]\s*$/', $found[1]) || preg_match('/^[<>=!]/', $found[2])) {
            throw new BadRule();
        }
        $text = $found[1] . $found[2];
    }
    $conditions = [];
    while (true) {
        $pattern = '/^(?:([^\s,<>=!][^\s,]*) - ([^\s,]+)|(<>|!=|>=|<=|==|=|<|>)(\s*)([^\s,]+)|([^\s,]+))(?:\s+as\s+[^\s,]+)?/';
        if (!preg_match($pattern, $text, $found, PREG_UNMATCHED_AS_NULL)) {
            throw new BadRule();
        }
        array_push($conditions, ...condition($found));
        $text = substr($text, strlen($found[0]));
        if ($text === '') {
            return $conditions;
        }
        $text = preg_replace('/^(\s*,\s*|\s+)/', '', $text);
    }
}

/** @return array<array{string, string, bool}> the one or two edges that a condition means */
function condition(array $found): array
{
    if ($found[1] !== null) {
        return span($found[1], $found[2]);
    }
    $flag = '';
    if ($found[3] === null || $found[4] === '') {
        $text = $found[5] ?? $found[6];
        if (preg_match(FLAG, $text, $flagged)) {
            $flag = $flagged[1];
            $text = preg_replace(FLAG, '', $text);
        }
    } else {
        $text = $found[5];
    }
    return $found[3] === null ? plain($text, $flag) : signed($found[3], $text, $flag);
}

function signed(string $sign, string $text, string $flag): array
{
    $sign = ['=' => '==', '<>' => '!='][$sign] ?? $sign;
    $version = version($text, true);
    if ($version->branch && !in_array($sign, ['==', '!='], true)) {
        throw new BadRule();
    }
    $form = $version->form;
    if ($sign !== '==' && $flag !== '' && $flag !== 'stable' && $version->grade() === 'stable') {
        $form .= "-$flag";
    } elseif (($sign === '<' || $sign === '>=') && !$version->settled) {
        $form .= '-dev';
    }
    return [[$sign, $form, $version->branch]];
}

function plain(string $text, string $flag): array
{
    if (($text === '' && $flag !== '') || preg_match('/^[*xX]$/', $text)) {
        return [ANY];
    }
    if (preg_match('/^[vV]?[*xX](\.[*xX])*$/', $text)) {
        return [low('0.0.0.0-dev')];
    }
    if (preg_match('/^[vV]?(\d{1,5}(?:\.\d{1,5}){0,2})(\.[*xX])+$/', $text, $found)) {
        $numbers = array_map('intval', explode('.', $found[1]));
        $upper = high($numbers, count($numbers) - 1);
        return array_sum($numbers) ? [low(filled($numbers) . '-dev'), $upper] : [$upper];
    }
    if ($text !== '' && ($text[0] === '~' || $text[0] === '^')) {
        return about($text[0], version(substr($text, 1)));
    }
    $version = version($text, true);
    return [['==', $version->form, $version->branch]];
}

/** The two edges of a tilde or a caret. */
function about(string $sign, Version $version): array
{
    if ($version->branch) {
        throw new BadRule();
    }
    $numbers = $version->numbers;
    if ($sign === '~') {
        $place = max(0, count($numbers) - 2);
    } else {
        $numbers = array_values(array_filter($numbers, 'is_int'));
        $place = min(count($numbers), 3) - 1;
        foreach (array_slice($numbers, 0, 3) as $at => $number) {
            if ($number) {
                $place = $at;
                break;
            }
        }
    }
    return [low($version->form . ($version->suffix ? '' : '-dev')), high($numbers, $place)];
}

/** The two edges of a condition from one version to another. */
function span(string $from, string $to): array
{
    if (preg_match(FLAG, $from) || preg_match(FLAG, $to)) {
        throw new BadRule();
    }
    [$first, $second] = [version($from, true), version($to, true)];
    if ($first->branch || $second->branch) {
        throw new BadRule();
    }
    $whole = $second->suffix || count($second->numbers) > 2;
    $upper = $whole ? ['<=', $second->form, false] : high($second->numbers, count($second->numbers) - 1);
    return [low($first->form . ($first->suffix ? '' : '-dev')), $upper];
}

function low(string $form): array
{
    return ['>=', $form, false];
}

/** The edge below the numbers with one of them raised and those behind it left out. */
function high(array $numbers, int $place): array
{
    $kept = array_slice($numbers, 0, $place + 1);
    $kept[$place] = $kept[$place] === 'x' ? OPEN : $kept[$place] + 1;
    return ['<', filled($kept) . '-dev', false];
}

function filled(array $numbers): string
{
    return implode('.', array_pad($numbers, 4, 0));
}

function accepts(array $rule, Version $version): bool
{
    foreach ($rule as $conditions) {
        foreach ($conditions as $condition) {
            if (!holds($condition, $version)) {
                continue 2;
            }
        }
        return true;
    }
    return false;
}

function holds(array $condition, Version $version): bool
{
    [$sign, $form, $branch] = $condition;
    if ($sign === '*') {
        return true;
    }
    if ($branch || $version->branch) {
        $same = $branch && $version->branch && $form === $version->form;
        return $sign === '==' ? $same : ($sign === '!=' && !$same);
    }
    $order = compare($version->form, $form);
    return match ($sign) {
        '==' => $order === 0,
        '!=' => $order !== 0,
        '<' => $order < 0,
        '<=' => $order <= 0,
        '>' => $order > 0,
        '>=' => $order >= 0,
    };
}
