//! The rules of foreign modules.

use super::{CheckError, Checker};
use crate::foreign::Parameter;
use crate::print::names;
use crate::{verilog, Design, Direction, Module, NodeOp};
use std::collections::{HashMap, HashSet};

impl Checker<'_> {
    /// What a foreign module has, and that no other one has it.
    pub(super) fn foreign(&mut self) {
        let module = self.module;
        let Some(foreign) = &module.foreign else {
            let mut nodes = module.nodes.values();
            if nodes.any(|node| matches!(node.op, NodeOp::Foreign(_))) {
                self.error("has an output of a foreign module, and is none".to_string());
            }
            return;
        };
        let count =
            module.regs.len() + module.mems.len() + module.instances.len() + module.asserts.len();
        if count > 0 {
            self.error(
                "is foreign, and has registers, memories, instances or assertions".to_string(),
            );
        }
        for (index, port) in module.ports.iter().enumerate() {
            let Direction::Output(node) = port.direction else {
                continue;
            };
            let data = module.nodes.get(node);
            if data.is_none_or(|data| data.op != NodeOp::Foreign(index as u32)) {
                let name = &port.name;
                self.error(format!(
                    "is foreign, and output {name} comes from a node of its own"
                ));
            }
        }
        for (node, data) in module.nodes.iter() {
            let is_input = |arg: &crate::Node| {
                let arg = module.nodes.get(*arg);
                arg.is_some_and(|arg| matches!(arg.op, NodeOp::Input(_)))
            };
            match data.op {
                NodeOp::Input(_) => {}
                NodeOp::Foreign(_) if data.args.iter().all(is_input) => {}
                NodeOp::Foreign(_) => self.error(format!("{node} follows what is no input")),
                _ => self.error(format!("is foreign, and computes {node}")),
            }
        }
        let named = foreign
            .parameters
            .iter()
            .map(|(name, _)| ("parameter", name));
        for (what, name) in named.chain([("foreign", &foreign.name)]) {
            if !names::is_identifier(name) || verilog::LANGUAGE.is_reserved(name) {
                self.error(format!("{what} name {name:?} is no identifier"));
            }
        }
        self.parameters(&foreign.parameters);
        if self.id == self.design.top() {
            self.error("is the top, and foreign: there is nothing to print".to_string());
        }
    }

    fn parameters(&mut self, parameters: &[(String, Parameter)]) {
        let mut seen = HashSet::new();
        for (name, value) in parameters {
            if !seen.insert(name.to_ascii_lowercase()) {
                self.error(format!("parameter {name} is given twice"));
            }
            let is_good = match value {
                Parameter::Integer(_) => true,
                Parameter::Bits(limbs, width) => {
                    *width > 0 && super::check_limbs(limbs, *width).is_ok()
                }
                Parameter::Text(text) => {
                    let plain =
                        |c: char| (' '..='~').contains(&c) && !['"', '\\', '%'].contains(&c);
                    text.chars().all(plain)
                }
            };
            if !is_good {
                self.error(format!(
                    "parameter {name} has bits above its width, none, or characters that a string cannot have"
                ));
            }
        }
    }
}

/// Names of foreign texts: no module of the design has one, and each means one text.
pub(super) fn texts(design: &Design) -> Vec<CheckError> {
    let mut errors = Vec::new();
    let mut known: HashMap<String, &Module> = HashMap::new();
    let own = design.modules.values().filter(|m| m.foreign.is_none());
    let own: HashSet<String> = own.map(|m| m.name.to_ascii_lowercase()).collect();
    for module in design.modules.values() {
        let Some(foreign) = &module.foreign else {
            continue;
        };
        let mut error = |message: String| {
            errors.push(CheckError {
                module: module.name.clone(),
                message,
            });
        };
        let name = foreign.name.to_ascii_lowercase();
        if own.contains(&name) {
            error(format!(
                "the design has a module of the foreign name {}",
                foreign.name
            ));
        }
        let first = *known.entry(name).or_insert(module);
        let other = first.foreign.as_ref().expect("it is one");
        let texts =
            |it: &crate::foreign::Foreign| (it.name.clone(), it.verilog.clone(), it.vhdl.clone());
        if texts(other) != texts(foreign) {
            error(format!(
                "{} is the name of another text in {}",
                foreign.name, first.name
            ));
        }
    }
    errors
}
