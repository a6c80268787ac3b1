//! Instances of foreign modules: their outputs come from models, which see all their inputs at an edge.

use super::*;

impl Flattener<'_> {
    /// The signal of an output, which its model will give.
    pub(super) fn foreign_output(
        &mut self,
        scope: Scope,
        port: u32,
        args: &[Signal],
        width: u32,
    ) -> Result<Signal, SimError> {
        let ports = self.scopes[scope].module.ports.iter().take(port as usize);
        let number = ports.filter(|port| port.direction != Direction::Input);
        let number = number.count() as u32;
        let foreign = self.foreign_module(scope)?;
        let outputs = &self.netlist.foreign[foreign].outputs;
        match outputs.get(number as usize) {
            Some((bits, _)) if *bits == width => {
                Ok(self.netlist.push(Op::Foreign(foreign, number), args, width))
            }
            _ => {
                let prefix = &self.scopes[scope].prefix;
                malformed(format!("{prefix} it has no output {port} of {width} bits"))
            }
        }
    }

    /// A foreign module, whose inputs are filled in when the search has come to them.
    fn foreign_module(&mut self, scope: Scope) -> Result<ForeignId, SimError> {
        if let Some(foreign) = self.foreign.get(&scope) {
            return Ok(*foreign);
        }
        let ScopeData {
            module,
            prefix,
            clocks,
            ..
        } = &self.scopes[scope];
        let name = prefix.trim_end_matches('.');
        let Some(text) = &module.foreign else {
            return malformed(format!("{name}: no foreign module"));
        };
        let Some(model) = text.model.clone() else {
            return Err(SimError::NoModel {
                instance: name.to_string(),
                module: text.name.clone(),
            });
        };
        let inputs: Vec<u32> = module.input_ports().collect();
        let mut outputs = Vec::new();
        for port in &module.ports {
            let Direction::Output(node) = port.direction else {
                continue;
            };
            let args = module.nodes.get(node).map_or(&[][..], |data| &data.args);
            let follows = args.iter().map(|arg| match module.nodes.get(*arg)?.op {
                NodeOp::Input(port) => inputs.iter().position(|input| *input == port),
                _ => None,
            });
            let follows = follows.map(|number| number.map(|number| number as u32));
            match follows.collect() {
                Some(follows) => outputs.push((port.width, follows)),
                None => return malformed(format!("{name}.{} follows no inputs", port.name)),
            }
        }
        let foreign = self.netlist.foreign.push(ForeignData {
            model,
            clocks: clocks.values().copied().collect(),
            inputs: Vec::new(),
            outputs,
        });
        self.foreign.insert(scope, foreign);
        self.pending.push(Pending::Foreign(foreign, scope));
        Ok(foreign)
    }

    /// All inputs of a foreign module.
    pub(super) fn drive_foreign(
        &mut self,
        foreign: ForeignId,
        scope: Scope,
    ) -> Result<(), SimError> {
        let ScopeData {
            module,
            parent,
            prefix,
            ..
        } = &self.scopes[scope];
        let (module, prefix) = (*module, prefix.clone());
        let Some((above, instance)) = *parent else {
            return malformed("its top is a foreign module".into());
        };
        for port in module.input_ports() {
            let inputs = &self.scopes[above].module.instances[instance].inputs;
            let Some((_, driver)) = inputs.iter().find(|(index, _)| *index == port) else {
                return malformed(format!("{prefix}: input {port} is not connected"));
            };
            let signal = self.resolve((above, *driver))?;
            let port = &module.ports[port as usize];
            has_width(&self.netlist, signal, port.width, || {
                format!("{prefix}{}", port.name)
            })?;
            self.netlist.foreign[foreign].inputs.push(signal);
        }
        Ok(())
    }
}
