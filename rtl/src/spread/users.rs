//! Who reads a node.

use crate::{Direction, Instance, Mem, MemData, Module, Node, Reg};

/// A place where a node is read. Assertions are left out: they become no hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// An argument of a node, by its index.
    Argument(Node, usize),
    Next(Reg),
    Enable(Reg),
    /// By the index in the instance's inputs.
    Instance(Instance, usize),
    /// A module's output, by its index.
    Output(usize),
    Memory(Mem, Pin),
}

/// A pin of a memory's port, which is given by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    ReadAddress(usize),
    ReadEnable(usize),
    WriteAddress(usize),
    WriteData(usize),
    WriteEnable(usize),
}

impl User {
    /// Gives the place another node.
    pub fn set(self, module: &mut Module, node: Node) {
        match self {
            User::Argument(of, index) => module.nodes[of].args[index] = node,
            User::Next(reg) => module.regs[reg].next = Some(node),
            User::Enable(reg) => module.regs[reg].enable = Some(node),
            User::Instance(of, index) => module.instances[of].inputs[index].1 = node,
            User::Output(index) => module.ports[index].direction = Direction::Output(node),
            User::Memory(mem, pin) => pin.set(&mut module.mems[mem], node),
        }
    }
}

impl Pin {
    fn set(self, mem: &mut MemData, node: Node) {
        match self {
            Pin::ReadAddress(port) => mem.reads[port].address = node,
            Pin::ReadEnable(port) => mem.reads[port].enable = Some(node),
            Pin::WriteAddress(port) => mem.writes[port].address = node,
            Pin::WriteData(port) => mem.writes[port].data = node,
            Pin::WriteEnable(port) => mem.writes[port].enable = node,
        }
    }
}

/// The pins of a memory, with what they read.
pub fn pins(data: &MemData) -> impl Iterator<Item = (Pin, Node)> + '_ {
    let reads = data.reads.iter().enumerate().flat_map(|(port, read)| {
        let enable = read.enable.map(|node| (Pin::ReadEnable(port), node));
        let address = [(Pin::ReadAddress(port), read.address)];
        address.into_iter().chain(enable)
    });
    let writes = data.writes.iter().enumerate().flat_map(|(port, write)| {
        [
            (Pin::WriteAddress(port), write.address),
            (Pin::WriteData(port), write.data),
            (Pin::WriteEnable(port), write.enable),
        ]
    });
    reads.chain(writes)
}

/// All places of a module, with what they read.
pub fn users(module: &Module) -> impl Iterator<Item = (User, Node)> + '_ {
    let arguments = module.nodes.iter().flat_map(|(node, data)| {
        let args = data.args.iter().enumerate();
        args.map(move |(index, arg)| (User::Argument(node, index), *arg))
    });
    let registers = module.regs.iter().flat_map(|(reg, data)| {
        let next = data.next.map(|next| (User::Next(reg), next));
        let enable = data.enable.map(|enable| (User::Enable(reg), enable));
        next.into_iter().chain(enable)
    });
    let instances = module.instances.iter().flat_map(|(instance, data)| {
        let inputs = data.inputs.iter().enumerate();
        inputs.map(move |(index, (_, node))| (User::Instance(instance, index), *node))
    });
    let ports = module.ports.iter().enumerate();
    let outputs = ports.filter_map(|(index, port)| match port.direction {
        Direction::Output(node) => Some((User::Output(index), node)),
        Direction::Input => None,
    });
    let memories = module
        .mems
        .iter()
        .flat_map(|(mem, data)| pins(data).map(move |(pin, node)| (User::Memory(mem, pin), node)));
    let others = registers.chain(instances).chain(outputs).chain(memories);
    arguments.chain(others)
}
