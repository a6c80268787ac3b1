//! The order of a module's logic in the text: section after section, in each in the order in which it was made.

use super::plan::{Plan, Signal, SignalKind};
use super::rewrite::Legal;
use crate::{Design, Direction, Instance, Mem, Node, NodeOp, Section};
use std::collections::BTreeMap;

/// A place in the text: section, then order within it.
pub type Place = (usize, u32, u32);

/// Sections count from 1; 0 is what stands before the first heading.
pub fn section_index(section: Option<Section>) -> usize {
    section.map_or(0, |section| section.as_u32() as usize + 1)
}

/// Behind the last section: outputs that have the value of something else.
pub fn outputs_section(legal: &Legal) -> usize {
    legal.module.sections.len() + 1
}

/// The heading of a section.
pub fn heading(legal: &Legal, section: usize) -> Option<String> {
    let mut headings = legal.module.sections.values();
    match section {
        0 => None,
        _ if section == outputs_section(legal) => Some("Outputs".to_string()),
        _ => headings.nth(section - 1).cloned(),
    }
}

/// A signal and what drives it.
pub struct Drive {
    pub place: Place,
    pub signal: Signal,
    pub source: Source,
}

#[derive(Clone, Copy)]
pub enum Source {
    /// What the node computes.
    Computed(Node),
    /// The node as it is printed in an expression.
    Value(Node),
}

/// Every signal that is driven by a node, in no order.
pub fn drives(legal: &Legal, plan: &Plan) -> Vec<Drive> {
    let module = &legal.module;
    let mut drives = Vec::new();
    for (node, data) in module.nodes.iter() {
        let Some(signal) = plan.nodes[node] else {
            continue;
        };
        let is_elsewhere = matches!(
            data.op,
            NodeOp::Input(_) | NodeOp::Reg(_) | NodeOp::InstanceOutput(..)
        ) || matches!(plan.signals[signal].kind, SignalKind::ReadData(..));
        if !is_elsewhere {
            drives.push(Drive {
                place: place(legal, node),
                signal,
                source: Source::Computed(node),
            });
        }
    }
    for (index, port) in module.ports.iter().enumerate() {
        let signal = plan.ports[index];
        let Direction::Output(node) = port.direction else {
            continue;
        };
        let (place, source) = match plan.nodes[node] {
            Some(own) if own == signal => continue,
            None if module.as_const(node).is_none() => (place(legal, node), Source::Computed(node)),
            _ => {
                let place = (outputs_section(legal), index as u32, 0);
                (place, Source::Value(node))
            }
        };
        drives.push(Drive {
            place,
            signal,
            source,
        });
    }
    drives
}

fn place(legal: &Legal, node: Node) -> Place {
    let section = section_index(legal.module.nodes[node].section);
    (section, legal.anchor[node], node.as_u32())
}

/// An instance and what its ports are connected to.
pub struct Connected {
    pub place: Place,
    pub instance: Instance,
    /// By port index of the callee.
    pub connections: Vec<Connection>,
}

#[derive(Clone, Copy)]
pub enum Connection {
    /// An output.
    To(Signal),
    /// An input.
    From(Node),
}

/// Every instance, in no order: it stands where the first of its outputs is read or its last input is known.
pub fn instances(design: &Design, legal: &Legal, plan: &Plan) -> Vec<Connected> {
    let module = &legal.module;
    let mut outputs: BTreeMap<(Instance, u32), Signal> = BTreeMap::new();
    let mut first_output: BTreeMap<Instance, u32> = BTreeMap::new();
    for (node, data) in module.nodes.iter() {
        if let (NodeOp::InstanceOutput(instance, port), Some(signal)) = (&data.op, plan.nodes[node])
        {
            outputs.insert((*instance, *port), signal);
            let anchor = legal.anchor[node];
            let first = first_output.entry(*instance).or_insert(anchor);
            *first = anchor.min(*first);
        }
    }
    for (instance, port, signal) in &plan.unused_outputs {
        outputs.insert((*instance, *port), *signal);
    }
    let instances = module.instances.iter().map(|(instance, data)| {
        let ports = 0..design.modules[data.module].ports.len() as u32;
        let inputs: BTreeMap<u32, Node> = data.inputs.iter().copied().collect();
        let last_input = inputs.values().map(|node| legal.anchor[*node]).max();
        let anchor = last_input
            .into_iter()
            .chain(first_output.get(&instance).copied())
            .min()
            .unwrap_or(0);
        Connected {
            place: (section_index(data.section), anchor, u32::MAX),
            instance,
            connections: ports
                .map(|port| match outputs.get(&(instance, port)) {
                    Some(signal) => Connection::To(*signal),
                    None => Connection::From(inputs[&port]),
                })
                .collect(),
        }
    });
    instances.collect()
}

/// The signals of the synchronous read ports.
pub fn read_data(plan: &Plan) -> BTreeMap<(Mem, u32), Signal> {
    let signals = plan.signals.iter();
    let read = signals.filter_map(|(signal, data)| match data.kind {
        SignalKind::ReadData(mem, port) => Some(((mem, port), signal)),
        _ => None,
    });
    read.collect()
}
