<?php
// Versions: what is one, its full form, its grade, and which of two is newer.

final class BadVersion extends Exception
{
}

const WORDS = ['alpha' => 'alpha', 'a' => 'alpha', 'beta' => 'beta', 'b' => 'beta', 'rc' => 'RC', 'patch' => 'patch', 'pl' => 'patch', 'p' => 'patch'];
const OPEN = 9999999;
const FLAG = '/@(dev|alpha|beta|RC|stable)$/';
const SUFFIX = '(?:[._-]?(?:(stable)|(?i:(alpha|beta|patch|rc|pl|a|b|p)))((?:[.-]?\d+)*))?((?i)[._-]?dev)?$';

/** A version in its full form, with what rules want to know of how it was written. */
final class Version
{
    /** @param array<int|string> $numbers as written, 'x' for an open place; empty of a branch */
    public function __construct(
        public string $form,
        public array $numbers = [],
        public bool $suffix = false,
        public bool $settled = false, // ends in a hyphen with a word but RC, so that edges add nothing
        public bool $branch = false,
    ) {
    }

    public function grade(): string
    {
        if ($this->branch || str_ends_with($this->form, '-dev')) {
            return 'dev';
        }
        return preg_match('/-(alpha|beta|RC)/', $this->form, $found) ? $found[1] : 'stable';
    }
}

/** Drop what does not count: blanks, an alias, a flag, a build mark. */
function bare(string $text): string
{
    $text = preg_replace('/^([^,\s]+) +as +[^,\s]+$/', '$1', trim($text));
    return preg_replace('/\+.*$/s', '', preg_replace(FLAG, '', $text));
}

/** Read a version; in a rule a name with -dev behind it is one too. */
function version(string $text, bool $in_rule = false): Version
{
    $text = bare($text);
    if (in_array($text, ['master', 'trunk', 'default'], true)) {
        $text = "dev-$text";
    }
    if (preg_match('#^dev-[A-Za-z][A-Za-z0-9/-]*$#', $text)) {
        return new Version($text, branch: true);
    }
    $settled = (bool) preg_match('/-(dev|(stable|alpha|beta|patch|pl|a|b|p)([.-]?\d+)*([.-]?dev)?)$/i', $text);
    if (preg_match('/^[vV]?(\d{1,5}(?:\.\d{1,5}){0,3})' . SUFFIX . '/', $text, $found)) {
        $numbers = array_map('intval', explode('.', $found[1]));
        $form = implode('.', array_pad(explode('.', $found[1]), 4, '0'));
    } elseif (preg_match('/^[vV]?(\d{4}(?:[.:-]?\d{2}){1,6}(?:[.:-]?\d{1,3})?)' . SUFFIX . '/', $text, $found)) {
        $form = preg_replace('/\D/', '.', $found[1]);
        $numbers = array_map('intval', explode('.', $form));
    } elseif (preg_match('/^[vV]?(\d+(?:\.\d+){0,3}(?:\.[xX*])+)-dev$/', $text, $found) && substr_count($found[1], '.') < 4) {
        $numbers = array_map(fn ($part) => ctype_digit($part) ? (int) $part : 'x', explode('.', $found[1]));
        $places = array_map(fn ($part) => $part === 'x' ? OPEN : $part, $numbers);
        return new Version(implode('.', array_pad($places, 4, OPEN)) . '-dev', $numbers, true, true);
    } elseif ($in_rule && preg_match('#^([A-Za-z][A-Za-z0-9/-]*)-dev$#', $text, $found)) {
        return new Version("dev-$found[1]", branch: true);
    } else {
        throw new BadVersion();
    }
    $stable = ($found[2] ?? '') !== '';
    $word = strtolower($found[3] ?? '');
    $dev = ($found[5] ?? '') !== '';
    if ($dev && $found[5][0] === '_' && ($stable || $word !== '')) {
        throw new BadVersion();
    }
    if (!$stable) {
        $form .= ($word === '' ? '' : '-' . WORDS[$word] . ltrim($found[4] ?? '', '.-')) . ($dev ? '-dev' : '');
    }
    return new Version($form, $numbers, $stable || $word !== '' || $dev, $settled);
}

/** @return array<int|string> numbers and words of a full form */
function pieces(string $form): array
{
    preg_match_all('/\d+|[a-zA-Z]+/', $form, $found);
    return array_map(fn ($piece) => ctype_digit($piece) ? (int) $piece : $piece, $found[0]);
}

/** Compare two full forms of versions that are no branches. */
function compare(string $left, string $right): int
{
    $rank = fn ($piece) => is_int($piece) ? 4 : ['dev' => 0, 'alpha' => 1, 'beta' => 2, 'RC' => 3, 'patch' => 5][$piece];
    [$a, $b] = [pieces($left), pieces($right)];
    for ($at = 0; $at < max(count($a), count($b)); $at++) {
        if (!isset($a[$at])) {
            return $rank($b[$at]) >= 4 ? -1 : 1;
        }
        if (!isset($b[$at])) {
            return $rank($a[$at]) >= 4 ? 1 : -1;
        }
        $order = $rank($a[$at]) <=> $rank($b[$at]) ?: (is_int($a[$at]) ? $a[$at] <=> $b[$at] : 0);
        if ($order) {
            return $order;
        }
    }
    return 0;
}

/** Compare versions of a list, branches among them. */
function by_age(Version $left, Version $right): int
{
    $place = fn (Version $one) => !$one->branch ? 0 : (in_array($one->form, ['dev-master', 'dev-trunk', 'dev-default'], true) ? 1 : -1);
    $order = $place($left) <=> $place($right);
    return $order ?: ($left->branch ? 0 : compare($left->form, $right->form));
}
