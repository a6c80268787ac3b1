//! Whether ranges are compared, or *expanded*: then they are ternary keys of the table of the IR, and an entry is a row of that for each prefix
//! that its ranges are made of ([`prefixes`](crate::lower::prefixes)).
//!
//! A comparison is logic for each entry; rows are memory, and there are more of them. What is smaller is weighed, and equal is what is
//! promised: left to itself, a table has rows for the worst ranges, so that `size` entries fit whatever they are. Where none is possible so,
//! there are fewer rows, which a warning tells ([`Promise`]). Who says how many rows an entry takes is not warned.
//!
//! | `@hardpath_range(…)` | in front of a table, or behind a key |
//! |---|---|
//! | `"compare"` | ranges are compared |
//! | `"expand"` | they are expanded, and there are four rows for each of `size` entries, or as many as the worst range takes |
//! | `"expand", N` | likewise, with `N` rows for each |
//! | `N` | `N` rows for each are enough: what is smaller |

use super::{Asked, Finding};
use crate::ast::{Annotation, AnnotationBody};
use crate::lexer::TokenKind;
use crate::lower::prefixes::{most_prefixes, product};
use hardpath_ir::MapDecl;

/// Rows for each entry where ranges are expanded and nobody says how many.
pub const USUAL_ROWS: u64 = 4;
/// The same where no more fit.
const FEWEST_ROWS: u64 = 2;
/// Bits of a range that is found by one memory however few entries there are.
const SMALL_BITS: u32 = 5;
/// So many ranges may each be found in another way.
const MOST_APART: usize = 4;

/// What the program says of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// It is compared.
    Compare,
    /// It is expanded, with so many rows for each entry, if it says how many.
    Expand(Option<u64>),
    /// So many rows for each entry are enough.
    Either(u64),
}

impl Said {
    /// What an annotation says; `None`: nothing that is known.
    pub(in crate::lower) fn read(annotation: &Annotation) -> Option<Said> {
        let AnnotationBody::Unstructured(tokens) = &annotation.body else {
            return None;
        };
        let kinds: Vec<&TokenKind> = tokens.iter().map(|token| &token.kind).collect();
        let number = |text: &str| text.parse().ok().filter(|rows| *rows > 0);
        match kinds[..] {
            [TokenKind::Text(word)] if word == "compare" => Some(Said::Compare),
            [TokenKind::Text(word)] if word == "expand" => Some(Said::Expand(None)),
            [TokenKind::Text(word), TokenKind::Sign(","), TokenKind::Number(rows)]
                if word == "expand" =>
            {
                number(rows).map(|rows| Said::Expand(Some(rows)))
            }
            [TokenKind::Number(rows)] => number(rows).map(Said::Either),
            _ => None,
        }
    }
}

/// What a table promises whose ranges are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promise {
    /// Entries that it wants to hold.
    pub entries: u64,
    /// Rows that it has.
    pub rows: u64,
    /// Rows that the worst entry takes.
    pub worst: u64,
    /// The program says how many rows each entry takes.
    pub is_said: bool,
}

impl Promise {
    /// All entries fit, whatever their ranges are.
    pub fn is_whole(&self) -> bool {
        self.rows >= self.entries.saturating_mul(self.worst)
    }

    /// In words, behind the name of the table.
    pub fn text(&self) -> String {
        let Promise {
            entries,
            rows,
            worst,
            ..
        } = self;
        match self.is_whole() {
            true => format!("has {rows} rows, up to {worst} for each of {entries} entries"),
            false => format!(
                "has {rows} rows for {entries} entries; an entry takes one for each prefix of its ranges, up to {worst}, and is refused where fewer are free"
            ),
        }
    }
}

/// What was chosen.
pub(in crate::lower) struct Chosen {
    /// By the keys of [`Asked`].
    pub expanded: Vec<bool>,
    pub promise: Option<Promise>,
    pub decl: MapDecl,
    /// What decided, where the program does not.
    pub why: Option<String>,
}

/// How ranges may be found.
pub(in crate::lower) struct Ranges<'a> {
    pub asked: &'a Asked<'a>,
    /// In front of the table.
    pub table: Option<Said>,
    /// Behind each key of [`Asked`].
    pub keys: Vec<Option<Said>>,
    /// What each entry has alone, so that it cannot be several rows.
    pub whole: Option<&'static str>,
}

/// Makes a table of the IR of what is asked for.
type Make<'a> = &'a dyn Fn(Finding, &Asked) -> Result<MapDecl, String>;

impl Ranges<'_> {
    fn said(&self, key: usize) -> Option<Said> {
        self.keys[key].or(self.table)
    }

    fn ranges(&self) -> impl Iterator<Item = usize> + '_ {
        let keys = self.asked.keys.iter().enumerate();
        keys.filter(|(_, (kind, _))| *kind == "range")
            .map(|(at, _)| at)
    }

    /// Every choice that the program leaves: whether each key is expanded. The first one compares most.
    fn left(&self, finding: Finding) -> Vec<Vec<bool>> {
        // What a memory finds anyhow stays as it is, if nobody says otherwise.
        let is_small = |key: &usize| {
            let bits = self.asked.keys[*key].1;
            finding != Finding::Masks && bits <= SMALL_BITS && self.said(*key).is_none()
        };
        let all: Vec<usize> = self.ranges().filter(|key| !is_small(key)).collect();
        let open = |key: &usize| matches!(self.said(*key), None | Some(Said::Either(_)));
        let (open, said): (Vec<usize>, Vec<usize>) = all.into_iter().partition(open);
        let mut first = vec![false; self.asked.keys.len()];
        for key in said {
            first[key] = matches!(self.said(key), Some(Said::Expand(_)));
        }
        let step = match open.len() <= MOST_APART {
            true => 1,
            false => (1 << open.len().min(31)) - 1,
        };
        let numbers = (0..1u32 << open.len().min(31)).step_by(step);
        let choice = |number: u32| {
            let mut choice = first.clone();
            for (at, key) in open.iter().enumerate() {
                choice[*key] = number >> at.min(30) & 1 == 1;
            }
            choice
        };
        numbers.map(choice).collect()
    }

    /// Rows that the worst entry takes.
    fn worst(&self, expanded: &[bool]) -> u64 {
        let keys = self.asked.keys.iter().zip(expanded);
        let keys = keys.filter(|(_, expanded)| **expanded);
        product(keys.map(|((_, bits), _)| most_prefixes(*bits)))
    }

    /// Rows for each entry; `usual`: of a range of which nothing is said, `None`: as many as its worst one takes.
    fn rows(&self, expanded: &[bool], usual: Option<u64>) -> u64 {
        let worst = self.worst(expanded);
        if let Some(Said::Expand(Some(rows)) | Said::Either(rows)) = self.table {
            return rows.clamp(1, worst);
        }
        let keys = self.asked.keys.iter().zip(&self.keys).zip(expanded);
        let keys = keys.filter(|(_, expanded)| **expanded);
        let (mut rows, mut others, mut is_open) = (1u64, 1u64, self.table.is_none());
        for (((_, bits), said), _) in keys {
            let most = most_prefixes(*bits);
            match said {
                Some(Said::Expand(Some(said)) | Said::Either(said)) => {
                    rows = rows.saturating_mul((*said).clamp(1, most));
                }
                _ => others = others.saturating_mul(most),
            }
            is_open &= *said != Some(Said::Expand(None));
        }
        let others = match usual {
            None if is_open => others,
            _ => others.min(usual.unwrap_or(USUAL_ROWS)),
        };
        rows.saturating_mul(others)
    }

    /// The program says how many rows each entry takes.
    fn says_rows(&self, expanded: &[bool]) -> bool {
        let says = |said| matches!(said, Some(Said::Expand(Some(_)) | Said::Either(_)));
        let mut keys = self.keys.iter().zip(expanded);
        says(self.table) || keys.all(|(said, expanded)| !expanded || says(*said))
    }

    /// A choice as a table of the IR.
    fn made(
        &self,
        finding: Finding,
        expanded: &[bool],
        (usual, make): (Option<u64>, Make),
    ) -> Result<Chosen, String> {
        let expands = expanded.contains(&true);
        if let (true, Some(why)) = (expands, self.whole) {
            return Err(format!(
                "each entry has {why}, and an expanded range has several rows of the table"
            ));
        }
        let entries = self.asked.size.unwrap_or(finding.usual());
        let rows = entries.saturating_mul(self.rows(expanded, usual));
        let mut asked = self.asked.clone();
        for ((kind, _), _) in asked.keys.iter_mut().zip(expanded).filter(|(_, is)| **is) {
            *kind = super::EXPANDED;
        }
        let promise = Promise {
            entries,
            rows,
            worst: self.worst(expanded),
            is_said: self.says_rows(expanded),
        };
        asked.size = match expands {
            true => Some(rows),
            false => asked.size,
        };
        let per_entry = |why| match expands {
            true => format!("{why}: {rows} rows for {entries} entries"),
            false => why,
        };
        Ok(Chosen {
            decl: make(finding, &asked).map_err(per_entry)?,
            expanded: expanded.to_vec(),
            promise: expands.then_some(promise),
            why: None,
        })
    }

    /// What the program says, or what weighs least of what it leaves.
    ///
    /// # Errors
    /// Why none is possible.
    pub fn choose(
        &self,
        finding: Finding,
        weigh: Option<crate::lower::Weigh>,
        make: Make,
    ) -> Result<Chosen, String> {
        let left = self.left(finding);
        let mut refused = None;
        // Whole promises first; where there is none, what is usual.
        for usual in [None, Some(USUAL_ROWS), Some(FEWEST_ROWS)] {
            let mut possible = Vec::new();
            for expanded in &left {
                match self.made(finding, expanded, (usual, make)) {
                    Ok(chosen) => possible.push(chosen),
                    Err(why) => {
                        refused.get_or_insert(why);
                    }
                }
            }
            if let Some(chosen) = least(possible, weigh, refused.as_deref()) {
                return Ok(chosen);
            }
        }
        Err(refused.unwrap_or_default())
    }

    /// All ranges expanded, for who wants to know what that would cost.
    pub fn expanded(&self, finding: Finding, make: Make) -> Result<MapDecl, String> {
        let mut all = vec![false; self.asked.keys.len()];
        self.ranges().for_each(|key| all[key] = true);
        let ways = [None, Some(USUAL_ROWS), Some(FEWEST_ROWS)];
        let mut ways = ways.map(|usual| self.made(finding, &all, (usual, make)));
        let good = ways.iter().position(Result::is_ok).unwrap_or(0);
        std::mem::replace(&mut ways[good], Err(String::new())).map(|chosen| chosen.decl)
    }
}

/// The one that weighs least; of equal ones the first.
fn least(
    mut possible: Vec<Chosen>,
    weigh: Option<crate::lower::Weigh>,
    refused: Option<&str>,
) -> Option<Chosen> {
    if possible.len() <= 1 {
        let only = possible.pop()?;
        let why = only.promise.and(refused).map(str::to_owned);
        return Some(Chosen { why, ..only });
    }
    // Who does not know what they weigh takes the one with the fewest rows.
    let weight = |chosen: &Chosen| match weigh {
        Some(weigh) => weigh(&chosen.decl).unwrap_or(u64::MAX),
        None => chosen.decl.max_entries.into(),
    };
    let best = possible.into_iter().min_by_key(weight)?;
    let what = match best.promise {
        Some(_) => "ranges that are expanded are smaller than comparisons here",
        None => "comparisons of ranges are smaller here than as many rows as they have prefixes",
    };
    Some(Chosen {
        why: weigh.map(|_| what.into()),
        ..best
    })
}
