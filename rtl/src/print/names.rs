//! Names in the text: what is an identifier, and how wishes become unique names of a module.

use super::Language;
use crate::{Clock, Design, ModuleId};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use std::collections::HashSet;

/// A plain identifier: letters, digits and `_`, no digit first.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What modules and their ports are called in a language: by what they are called in the design, where that is a good
/// and free name. The same for all modules of a design, because instances name them.
pub struct PublicNames {
    /// Of a foreign module what its text calls it.
    pub modules: SecondaryMap<ModuleId, String>,
    /// The inputs of each clock and its reset.
    pub clocks: SecondaryMap<ModuleId, PrimaryMap<Clock, (String, String)>>,
    /// By port index.
    pub ports: SecondaryMap<ModuleId, Vec<String>>,
}

impl PublicNames {
    /// Chooses them all, so that none is a word of the language or stands for two things of one module.
    pub fn of(design: &Design, language: &'static Language) -> PublicNames {
        let mut names = PublicNames {
            modules: SecondaryMap::new(),
            clocks: SecondaryMap::new(),
            ports: SecondaryMap::new(),
        };
        let mut modules = Names::new(language);
        // What others have written keeps its names.
        let foreign = design.modules.values().filter_map(|m| m.foreign.as_ref());
        foreign.for_each(|foreign| modules.reserve(&foreign.name));
        for (id, module) in design.modules.iter() {
            if let Some(foreign) = &module.foreign {
                names.modules[id] = foreign.name.clone();
                names.ports[id] = module.ports.iter().map(|p| p.name.clone()).collect();
                let clocks = module.clocks.values();
                let clocks = clocks.map(|clock| (clock.name.clone(), clock.reset.clone()));
                names.clocks[id] = clocks.collect();
                continue;
            }
            names.modules[id] = modules.unique(&module.name);
            let mut ports = Names::new(language);
            let clocks = module.clocks.values();
            let clocks = clocks.map(|c| (ports.unique(&c.name), ports.unique(&c.reset)));
            names.clocks[id] = clocks.collect();
            let own = module.ports.iter().map(|port| ports.unique(&port.name));
            names.ports[id] = own.collect();
        }
        names
    }
}

/// The names of one region of the text that are taken.
pub struct Names {
    language: &'static Language,
    /// In lower case where the language does not tell the cases apart.
    taken: HashSet<String>,
}

impl Names {
    /// The reserved words of the language are taken.
    pub fn new(language: &'static Language) -> Names {
        Names::of_words(language, language.words)
    }

    /// Some of them are taken.
    pub fn of_words(language: &'static Language, lists: &[&str]) -> Names {
        let words = lists.iter().flat_map(|list| list.split_whitespace());
        Names {
            language,
            taken: words.map(str::to_string).collect(),
        }
    }

    fn key(&self, name: &str) -> String {
        match self.language.folds_case {
            true => name.to_ascii_lowercase(),
            false => name.to_string(),
        }
    }

    /// Takes a name that is known to be good and free.
    pub fn reserve(&mut self, name: &str) {
        let key = self.key(name);
        self.taken.insert(key);
    }

    /// A name as near to the wish as possible that nothing else has: `wish`, `wish_2`, `wish_3`, …
    pub fn unique(&mut self, wish: &str) -> String {
        let base = match self.language.joins_words_once {
            true => words_joined_once(wish),
            false => any_identifier(wish),
        };
        let mut name = base.clone();
        let mut number = 2;
        while !self.taken.insert(self.key(&name)) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

fn any_identifier(wish: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = wish.chars().map(letter).collect();
    if !is_identifier(&name) {
        name.insert(0, '_');
    }
    name
}

/// A letter first, no underscore at an end, never two of them side by side.
fn words_joined_once(wish: &str) -> String {
    let words = wish.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("n{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_become_unique_legal_names() {
        let mut names = Names::new(&crate::verilog::LANGUAGE);
        names.reserve("clk");
        assert_eq!(names.unique("clk"), "clk_2");
        assert_eq!(names.unique("port"), "port");
        assert_eq!(names.unique("Port"), "Port");
        assert_eq!(names.unique("output"), "output_2");
        assert_eq!(names.unique("delete"), "delete_2");
        assert_eq!(names.unique(".rodata"), "_rodata");
        assert_eq!(names.unique("4to6"), "_4to6");
        assert_eq!(names.unique("4to6"), "_4to6_2");
    }

    #[test]
    fn names_in_vhdl_fold_case_and_have_single_underscores() {
        let mut names = Names::new(&crate::vhdl::LANGUAGE);
        assert_eq!(names.unique("port"), "port_2");
        assert_eq!(names.unique("Signal"), "Signal_2");
        assert_eq!(names.unique("Key"), "Key");
        assert_eq!(names.unique("key"), "key_2");
        assert_eq!(names.unique("__a__b_"), "a_b");
        assert_eq!(names.unique("a_b_2"), "a_b_2");
        assert_eq!(names.unique("A_B"), "A_B_3");
        assert_eq!(names.unique(".rodata.str"), "rodata_str");
        assert_eq!(names.unique("4to6"), "n4to6");
        assert_eq!(names.unique("_"), "n");
    }

    #[test]
    fn identifiers() {
        assert!(is_identifier("_a9"));
        assert!(!is_identifier(""));
        assert!(!is_identifier("9a"));
        assert!(!is_identifier("a.b"));
        assert!(!is_identifier("größe"));
    }
}
