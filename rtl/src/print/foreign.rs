//! The texts of foreign modules, which stand beside those of the others.

use super::names::Names;
use super::{Language, PrintError};
use crate::{Design, Module, ModuleId};
use std::collections::HashSet;

/// The text of a module: made here, or given.
pub enum Text<'a> {
    Made(ModuleId),
    /// What its file is called, without the ending, and what is in it.
    Given(&'a str, &'a str),
}

/// The texts of all modules, callees before callers. A foreign text that several of them share comes once.
pub fn texts<'a>(
    design: &'a Design,
    language: &'static Language,
) -> Result<Vec<Text<'a>>, PrintError> {
    let mut texts = Vec::new();
    let mut seen = HashSet::new();
    for (id, module) in design.modules.iter() {
        let Some(foreign) = &module.foreign else {
            texts.push(Text::Made(id));
            continue;
        };
        let error = |message: String| PrintError {
            module: module.name.clone(),
            language: language.name,
            message,
        };
        let Some(text) = (language.foreign_text)(foreign) else {
            let name = &foreign.name;
            return Err(error(format!(
                "the foreign module {name} has no text in this language: give it, or print the design in another one"
            )));
        };
        if let Some(name) = bad_name(module, language) {
            return Err(error(format!(
                "the foreign module {} has {name}, which is no name in this language: wrap it in a module with other names",
                foreign.name
            )));
        }
        if seen.insert(&foreign.name) {
            texts.push(Text::Given(&foreign.name, text));
        }
    }
    Ok(texts)
}

/// A name that an instance would use, and that the language does not take or does not tell from another one.
fn bad_name<'a>(module: &'a Module, language: &'static Language) -> Option<&'a String> {
    let foreign = module.foreign.as_ref()?;
    let clocks = module.clocks.values();
    let clocks = clocks.flat_map(|clock| [&clock.name, &clock.reset]);
    let ports = module.ports.iter().map(|port| &port.name);
    let parameters = foreign.parameters.iter().map(|(name, _)| name);
    // What the made text would hide may well be a name in another one.
    let mut names = Names::of_words(language, &language.words[..1]);
    let mut all = clocks.chain(ports).chain(parameters);
    let bad = all.find(|name| names.unique(name) != **name);
    let mut names = Names::of_words(language, &language.words[..1]);
    bad.or(Some(&foreign.name).filter(|name| names.unique(name) != **name))
}
