//! Answers every case of a suite about release labels.

mod json;
mod labels;
mod signs;

use json::Json;
use labels::{is_release, pieces, relate, Options, Piece};
use std::cmp::Ordering;
use std::path::Path;

const NOT_A_RELEASE: &str = "error: not a release";
const UNKNOWN_SIGN: &str = "error: unknown sign";

type Answer = Result<String, &'static str>;

struct Case<'a> {
    input: &'a Json,
    options: Options,
}

impl Case<'_> {
    fn read(&self, field: &str) -> Result<Vec<Piece>, &'static str> {
        Some(pieces(self.input.get(field).text(), &self.options)).filter(|found| is_release(found)).ok_or(NOT_A_RELEASE)
    }

    fn sign(&self) -> Result<&'static str, &'static str> {
        signs::standard(self.input.get("sign").text()).ok_or(UNKNOWN_SIGN)
    }

    fn relate(&self, left: &[Piece], right: &[Piece]) -> Ordering {
        relate(left, right, self.options.zero_rule)
    }

    /// The releases among the labels, with their pieces.
    fn releases(&self) -> Vec<(&str, Vec<Piece>)> {
        let labels = self.input.get("labels").list().iter().map(Json::text);
        labels.map(|label| (label, pieces(label, &self.options))).filter(|(_, found)| is_release(found)).collect()
    }

    fn answer(&self) -> Answer {
        match self.input.get("op").text() {
            "pieces" => Ok(printed(&self.read("label")?)),
            "relate" => Ok(match self.relate(&self.read("left")?, &self.read("right")?) {
                Ordering::Less => "<",
                Ordering::Equal => "==",
                Ordering::Greater => ">",
            }
            .to_string()),
            "check" => {
                let sign = self.sign()?;
                Ok(signs::holds(self.relate(&self.read("left")?, &self.read("right")?), sign).to_string())
            }
            "sign" => Ok(signs::turned(self.sign()?, self.input.get("turn").text()).to_string()),
            "order" => Ok(lines(&self.ordered())),
            "newest" => Ok(lines(&self.newest())),
            "select" => {
                let sign = self.sign()?;
                let bound = self.read("bound")?;
                let fits = |(_, found): &(&str, Vec<Piece>)| signs::holds(self.relate(found, &bound), sign);
                Ok(lines(&self.releases().into_iter().filter(fits).map(|(label, _)| label).collect::<Vec<_>>()))
            }
            _ => Err("error: unknown op"),
        }
    }

    /// The row on the shelf: each label moves left past neighbours that are newer.
    fn ordered(&self) -> Vec<&str> {
        let mut row = self.releases();
        for index in 1..row.len() {
            let mut at = index;
            while at > 0 && self.relate(&row[at - 1].1, &row[at].1).is_gt() {
                row.swap(at - 1, at);
                at -= 1;
            }
        }
        row.into_iter().map(|(label, _)| label).collect()
    }

    fn newest(&self) -> Vec<&str> {
        let mut held: Option<(&str, Vec<Piece>)> = None;
        for next in self.releases() {
            if held.as_ref().map_or(true, |old| self.relate(&next.1, &old.1).is_gt()) {
                held = Some(next);
            }
        }
        held.map(|(label, _)| label).into_iter().collect()
    }
}

fn lines(labels: &[&str]) -> String {
    if labels.is_empty() { "none".to_string() } else { labels.join("\n") }
}

fn printed(found: &[Piece]) -> String {
    let texts: Vec<String> = found
        .iter()
        .map(|piece| match piece {
            Piece::Number(number) => number.to_string(),
            Piece::Word(word) => format!("\"{word}\""),
        })
        .collect();
    format!("[{}]", texts.join(", "))
}

fn answer(input: &Json) -> String {
    let options = Options {
        depth: input.get("depth").count().unwrap_or(usize::MAX),
        numbers_only: input.get("numbers_only").is_true(),
        zero_rule: input.get("zero_rule").is_true(),
    };
    Case { input, options }.answer().unwrap_or_else(|error| error.to_string())
}

fn main() -> std::io::Result<()> {
    let suite = std::env::args().last().unwrap_or_default();
    let out = Path::new("rcb_tests/stdout").join(&suite);
    std::fs::create_dir_all(&out)?;
    for entry in std::fs::read_dir(Path::new("rcb_tests").join(&suite))? {
        let file = entry?.path();
        if file.extension().map_or(true, |name| name != "json") {
            continue;
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match json::parse(&std::fs::read_to_string(&file)?) {
            Ok(group) => {
                for (index, case) in group.get("cases").list().iter().enumerate() {
                    std::fs::write(out.join(format!("{stem}@{index:03}.txt")), answer(case.get("input")) + "\n")?;
                }
            }
            Err(error) => eprintln!("{stem}: {error}"),
        }
    }
    Ok(())
}
