//! The six signs between two releases.

use std::cmp::Ordering;

const SPELLINGS: [(&str, &[&str]); 6] = [
    ("==", &["==", "=", "eq"]),
    ("!=", &["!=", "!", "<>", "ne"]),
    ("<", &["<", "lt"]),
    ("<=", &["<=", "le"]),
    (">=", &[">=", "ge"]),
    (">", &[">", "gt"]),
];

/// The standard spelling of a sign; None: it is unknown.
pub fn standard(sign: &str) -> Option<&'static str> {
    let sign = sign.trim_matches(' ').to_lowercase();
    SPELLINGS.iter().find(|(_, known)| known.contains(&sign.as_str())).map(|(first, _)| *first)
}

pub fn turned(sign: &'static str, turn: &str) -> &'static str {
    let pairs: &[(&str, &str)] = match turn {
        "negate" => &[("==", "!="), ("<", ">="), ("<=", ">")],
        "swap" => &[("<", ">"), ("<=", ">=")],
        "mirror" => &[("<", ">"), ("<=", ">="), ("==", "!=")],
        _ => &[],
    };
    for (one, other) in pairs {
        if sign == *one || sign == *other {
            return standard(if sign == *one { other } else { one }).unwrap_or(sign);
        }
    }
    sign
}

pub fn holds(order: Ordering, sign: &str) -> bool {
    match sign {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        _ => order.is_gt(),
    }
}
