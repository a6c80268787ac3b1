//! A module that can be put back into its first state while the rest goes on.

use crate::{Design, Direction, Module, ModuleId, Node, NodeOp, Port};

impl Design {
    /// Where `clears`, a node of one bit in `module`, is set at an edge, all registers of the module and of those below it take what
    /// reset sets them to. Memories keep what they have, as at a reset. Modules below get an input more, so each of them stands in
    /// the design once, below this one. All registers of `module` must be driven; it has one clock.
    ///
    /// # Panics
    /// When a module below has several clocks or text of its own.
    pub fn clear_with(&mut self, module: &mut Module, clears: Node) {
        assert_eq!(module.clocks.len(), 1, "{} has one clock", module.name);
        assert!(module.foreign.is_none(), "{} is made here", module.name);
        for reg in module.regs.keys() {
            let Some(first) = module.regs[reg].reset.clone() else {
                continue;
            };
            let first = module.constant_limbs(&first, module.regs[reg].width);
            let next = module.regs[reg].next.expect("all registers are driven");
            let next = module.mux(clears, first, next);
            let enable = module.regs[reg].enable;
            let enable = enable.map(|enable| module.or(&[enable, clears]));
            let data = &mut module.regs[reg];
            (data.next, data.enable) = (Some(next), enable);
        }
        for instance in module.instances.keys() {
            let port = self.clear_below(module.instances[instance].module);
            module.instances[instance].inputs.push((port, clears));
        }
    }

    /// The same in a module of the design. Gives the number of its new input.
    fn clear_below(&mut self, id: ModuleId) -> u32 {
        let mut module = self.modules[id].clone();
        let number = module.ports.len() as u32;
        module.ports.push(Port {
            name: "clears".into(),
            width: 1,
            direction: Direction::Input,
            clock: module.current_clock,
            doc: "all registers that reset sets are set so".into(),
        });
        let clears = module.push(NodeOp::Input(number), Vec::new(), 1);
        self.clear_with(&mut module, clears);
        self.modules[id] = module;
        number
    }
}
