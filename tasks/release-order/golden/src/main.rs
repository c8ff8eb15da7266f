//! Answer the cases of one suite with the pinned package, in the task's own terms.
//!
//! Every label is split, and every two are related, by the package; this file names the operations and prints.

mod json;

use std::error::Error;
use std::fs;
use std::path::Path;

use json::Json;
use version_compare::{Cmp, Manifest, Part, Version};

const UNREADABLE: &str = "error: not a release";
const UNKNOWN_SIGN: &str = "error: unknown sign";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let suite = match arguments.as_slice() {
        [flag, suite] if flag == "--cases-dir" => suite,
        _ => return Err("usage: test.sh --cases-dir SUITE".into()),
    };
    let tests = Path::new("rcb_tests");
    let target = tests.join("stdout").join(suite);
    fs::create_dir_all(&target)?;
    for entry in fs::read_dir(tests.join(suite))? {
        let path = entry?.path();
        if path.extension().map_or(false, |ending| ending == "json") {
            answer_file(&path, &target)?;
        }
    }
    Ok(())
}

/// Write one output file per case; a case that fails leaves the others alone.
fn answer_file(path: &Path, target: &Path) -> Result<(), Box<dyn Error>> {
    let document = Json::read(&fs::read_to_string(path)?)?;
    let stem = path.file_stem().and_then(|name| name.to_str()).ok_or("a file name that is not UTF-8")?;
    let cases = document.get("cases").and_then(Json::list).ok_or("a suite without cases")?;
    for (index, case) in cases.iter().enumerate() {
        let name = format!("{stem}@{index:03}");
        match case.get("input").and_then(answer) {
            Some(text) => fs::write(target.join(format!("{name}.txt")), text + "\n")?,
            None => eprintln!("{name}: not a case of this task"),
        }
    }
    Ok(())
}

/// Return the output of one case, None when it lies outside the contract.
fn answer(case: &Json) -> Option<String> {
    let rules = rules(case)?;
    match case.get("op")?.text()? {
        "pieces" => Some(match read(case.get("label")?.text()?, &rules) {
            Some(label) => pieces(&label),
            None => UNREADABLE.to_string(),
        }),
        "relate" => two(case, &rules, |one, other| one.compare(other).sign().to_string()),
        "check" => match sign(case)? {
            Some(sign) => two(case, &rules, |one, other| one.compare_to(other, sign).to_string()),
            None => Some(UNKNOWN_SIGN.to_string()),
        },
        "sign" => turned(case),
        "order" => Some(lines(&ordered(labels(case, &rules)?))),
        "newest" => Some(lines(&Vec::from_iter(newest(labels(case, &rules)?)))),
        "select" => select(case, &rules),
        _ => None,
    }
}

fn rules(case: &Json) -> Option<Manifest> {
    let mut rules = Manifest::default();
    if let Some(depth) = case.get("depth") {
        rules.max_depth = match depth {
            Json::Number(depth) => Some(*depth as usize),
            _ => return None,
        };
    }
    rules.ignore_text = flag(case, "numbers_only")?;
    rules.gnu_ordering = flag(case, "zero_rule")?;
    Some(rules)
}

fn flag(case: &Json, name: &str) -> Option<bool> {
    match case.get(name) {
        None => Some(false),
        Some(Json::Bool(value)) => Some(*value),
        Some(_) => None,
    }
}

fn read<'a>(label: &'a str, rules: &'a Manifest) -> Option<Version<'a>> {
    Version::from_manifest(label, rules)
}

/// Return the sign of a case: Some(None) when the package knows it neither as a sign nor as a name.
fn sign(case: &Json) -> Option<Option<Cmp>> {
    let text = case.get("sign")?.text()?;
    Some(Cmp::from_sign(text).or_else(|()| Cmp::from_name(text)).ok())
}

fn two(case: &Json, rules: &Manifest, print: impl Fn(&Version, &Version) -> String) -> Option<String> {
    let one = read(case.get("left")?.text()?, rules);
    let other = read(case.get("right")?.text()?, rules);
    Some(match (one, other) {
        (Some(one), Some(other)) => print(&one, &other),
        _ => UNREADABLE.to_string(),
    })
}

fn turned(case: &Json) -> Option<String> {
    let sign = match sign(case)? {
        Some(sign) => sign,
        None => return Some(UNKNOWN_SIGN.to_string()),
    };
    let turned = match case.get("turn").map(Json::text) {
        None => sign,
        Some(Some("negate")) => sign.invert(),
        Some(Some("swap")) => sign.flip(),
        Some(Some("mirror")) => sign.opposite(),
        Some(_) => return None,
    };
    Some(turned.sign().to_string())
}

/// Return the readable labels of a list, in its order.
fn labels<'a>(case: &'a Json, rules: &'a Manifest) -> Option<Vec<Version<'a>>> {
    let texts: Vec<&str> = case.get("labels")?.list()?.iter().map(Json::text).collect::<Option<_>>()?;
    Some(texts.into_iter().filter_map(|text| read(text, rules)).collect())
}

/// Sort from old to new by insertion. The package's relation is not transitive, so the method is part of the contract.
fn ordered(labels: Vec<Version>) -> Vec<Version> {
    let mut sorted: Vec<Version> = Vec::with_capacity(labels.len());
    for label in labels {
        let after = sorted.iter().rposition(|left| left.compare(&label) != Cmp::Gt);
        sorted.insert(after.map_or(0, |place| place + 1), label);
    }
    sorted
}

fn newest(labels: Vec<Version>) -> Option<Version> {
    labels.into_iter().reduce(|best, label| if label.compare(&best) == Cmp::Gt { label } else { best })
}

fn select(case: &Json, rules: &Manifest) -> Option<String> {
    let (sign, bound) = match (sign(case)?, read(case.get("bound")?.text()?, rules)) {
        (None, _) => return Some(UNKNOWN_SIGN.to_string()),
        (_, None) => return Some(UNREADABLE.to_string()),
        (Some(sign), Some(bound)) => (sign, bound),
    };
    let fitting: Vec<Version> =
        labels(case, rules)?.into_iter().filter(|label| label.compare_to(&bound, sign)).collect();
    Some(lines(&fitting))
}

fn lines(labels: &[Version]) -> String {
    if labels.is_empty() {
        return "none".to_string();
    }
    labels.iter().map(Version::as_str).collect::<Vec<_>>().join("\n")
}

/// Print the pieces as a JSON list; a word has letters and digits only, so nothing needs an escape.
fn pieces(label: &Version) -> String {
    let printed: Vec<String> = label
        .parts()
        .iter()
        .map(|piece| match piece {
            Part::Number(number) => number.to_string(),
            Part::Text(word) => format!("\"{word}\""),
        })
        .collect();
    format!("[{}]", printed.join(", "))
}
