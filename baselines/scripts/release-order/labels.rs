//! Labels: their pieces, and which of two releases is older.

use std::cmp::Ordering;

const LARGEST: u64 = 2147483647;

#[derive(Clone, Debug)]
pub enum Piece {
    Number(u64),
    Word(String),
}

use Piece::{Number, Word};

/// How labels are read.
pub struct Options {
    pub depth: usize,
    pub numbers_only: bool,
    pub zero_rule: bool,
}

/// The value of a text of digits, if it is not too large.
fn value(digits: &str) -> Option<u64> {
    let digits = digits.trim_start_matches('0');
    let value = if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    value.filter(|value| *value <= LARGEST)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit())
}

pub fn pieces(label: &str, options: &Options) -> Vec<Piece> {
    let mut found = Vec::new();
    for chunk in label.split(|sign: char| !sign.is_alphanumeric()).filter(|chunk| !chunk.is_empty()) {
        if found.len() >= options.depth {
            break;
        }
        let front = chunk.len() - chunk.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
        if front == chunk.len() {
            let padded = options.zero_rule && chunk.starts_with('0') && chunk.bytes().any(|sign| sign != b'0');
            match value(chunk) {
                _ if padded => found.push(Word(chunk.to_string())),
                Some(number) => found.push(Number(number)),
                None if !options.numbers_only => found.push(Word(chunk.to_string())),
                None => {}
            }
        } else if !options.numbers_only {
            match value(&chunk[..front]).filter(|_| front > 0) {
                Some(number) => found.extend([Number(number), Word(chunk[front..].to_string())]),
                None => found.push(Word(chunk.to_string())),
            }
        }
    }
    found
}

/// Whether pieces are those of a release.
pub fn is_release(pieces: &[Piece]) -> bool {
    pieces.is_empty() || pieces.iter().any(|piece| matches!(piece, Number(_)))
}

/// How a release stands to another: less is older.
pub fn relate(left: &[Piece], right: &[Piece], zero_rule: bool) -> Ordering {
    for pair in left.iter().zip(right) {
        let order = match pair {
            (Number(a), Number(b)) => a.cmp(b),
            (Word(a), Word(b)) => a.to_lowercase().chars().cmp(b.to_lowercase().chars()),
            (Number(a), Word(b)) => beside(*a, b, zero_rule),
            (Word(a), Number(b)) => beside(*b, a, zero_rule).reverse(),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    let shared = left.len().min(right.len());
    match over(&left[shared..]) {
        Ordering::Equal => over(&right[shared..]).reverse(),
        order => order,
    }
}

/// How a number stands to a word: only a padded number decides.
fn beside(number: u64, word: &str, zero_rule: bool) -> Ordering {
    match value(word) {
        Some(padded) if zero_rule && is_digits(word) => number.cmp(&padded).then(Ordering::Greater),
        _ => Ordering::Equal,
    }
}

/// What the pieces that are left over make of a label.
fn over(rest: &[Piece]) -> Ordering {
    match rest.iter().find(|piece| !matches!(piece, Number(0))) {
        Some(Number(_)) => Ordering::Greater,
        Some(Word(_)) => Ordering::Less,
        None => Ordering::Equal,
    }
}
