//! The statements of programs, and how often each one comes.

use super::Generator;

/// What a program is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Statement {
    Arithmetic,
    LoadPacket,
    StorePacket,
    StoreStack,
    LoadStack,
    AtomicOnStack,
    LoadContext,
    PlainHelper,
    SpillOrFill,
    CheckBounds,
    IfElse,
    BranchOut,
    LeaveEarly,
    MovePointer,
    VariableStack,
    CopyPacketBytes,
    SubtractPointers,
    PointerArithmetic,
    Redirect,
    Map,
    MovePacket,
    Checksum,
    Machine,
    CallFunction,
    Loop,
    ReloadPacket,
    TailCall,
    Callback,
    Event,
    CheckMtu,
    Global,
}

impl Generator {
    pub(super) fn statements(&mut self, count: usize, depth: u32) {
        let choices = self.choices(depth);
        let weights: Vec<u32> = choices.iter().map(|(weight, _)| *weight).collect();
        for _ in 0..count {
            if !self.live {
                return;
            }
            match choices[self.random.weighted(&weights)].1 {
                Statement::Arithmetic => self.arithmetic(),
                Statement::LoadPacket => self.load_packet(),
                Statement::StorePacket => self.store_packet(),
                Statement::StoreStack => self.store_stack(),
                Statement::LoadStack => self.load_stack(),
                Statement::AtomicOnStack => self.atomic_on_stack(),
                Statement::LoadContext => self.load_context(),
                Statement::PlainHelper => self.call_plain_helper(),
                Statement::SpillOrFill => self.spill_or_fill(),
                Statement::CheckBounds => self.check_bounds(),
                Statement::IfElse => self.if_else(count / 2, depth),
                Statement::BranchOut => self.branch_out(),
                Statement::LeaveEarly => self.leave_early(depth),
                Statement::MovePointer => self.move_packet_pointer(),
                Statement::VariableStack => self.variable_stack(),
                Statement::CopyPacketBytes => self.copy_packet_bytes(),
                Statement::SubtractPointers => self.subtract_pointers(),
                Statement::PointerArithmetic => self.pointer_arithmetic(),
                Statement::Redirect => self.redirect(),
                Statement::Map => self.map_statement(depth),
                Statement::MovePacket => self.move_packet(),
                Statement::Checksum => self.checksum(),
                Statement::Machine => self.machine(),
                Statement::CallFunction => self.call_function(),
                Statement::Loop => self.counted_loop(),
                Statement::ReloadPacket => self.reload_packet(),
                Statement::TailCall => self.tail_call(),
                Statement::Callback => self.run_callback(),
                Statement::Event => self.event(),
                Statement::CheckMtu => self.check_mtu(),
                Statement::Global => self.use_global(),
            }
        }
    }

    /// What may come next, with weights. Loops and functions have only what keeps their promises.
    fn choices(&self, depth: u32) -> Vec<(u32, Statement)> {
        let weight = |wanted: bool, weight: u32| if wanted { weight } else { 0 };
        let (outside, outermost) = (!self.in_loop, !self.in_loop && !self.in_function);
        let callbacks = outermost && !self.callbacks.is_empty();
        let may_call = self.functions.len() > self.callbacks.len() && (outside || self.loop_calls);
        vec![
            (38, Statement::Arithmetic),
            (14, Statement::LoadPacket),
            (8, Statement::StorePacket),
            (8, Statement::StoreStack),
            (8, Statement::LoadStack),
            (3, Statement::AtomicOnStack),
            (weight(outside, 2), Statement::LoadContext),
            (weight(outside, 2), Statement::PlainHelper),
            (weight(outside, 3), Statement::SpillOrFill),
            (4, Statement::CheckBounds),
            (weight(depth < 4, 10), Statement::IfElse),
            (if depth > 1 { 4 } else { 1 }, Statement::BranchOut),
            (weight(depth > 0, 2), Statement::LeaveEarly),
            (weight(outside, 2), Statement::MovePointer),
            (weight(outside, 2), Statement::VariableStack),
            (weight(outside, 1), Statement::CopyPacketBytes),
            (weight(outside, 1), Statement::SubtractPointers),
            (weight(outside, 2), Statement::PointerArithmetic),
            (weight(outermost, 1), Statement::Redirect),
            (
                weight(outermost && !self.maps.is_empty(), 14),
                Statement::Map,
            ),
            (
                weight(outermost && self.with_moves, 6),
                Statement::MovePacket,
            ),
            (weight(outermost, 1), Statement::Checksum),
            (
                weight(outermost && self.machines_left > 0, 6),
                Statement::Machine,
            ),
            (weight(may_call, 6), Statement::CallFunction),
            (
                weight(outside, if self.wants_loop { 25 } else { 1 }),
                Statement::Loop,
            ),
            (weight(outside, 3), Statement::ReloadPacket),
            (
                weight(outermost && self.programs.is_some(), 8),
                Statement::TailCall,
            ),
            (weight(callbacks, 8), Statement::Callback),
            (
                weight(outermost && self.events.is_some(), 8),
                Statement::Event,
            ),
            (weight(outermost && self.checks_mtu, 8), Statement::CheckMtu),
            (
                weight(outside && !self.globals.is_empty(), 10),
                Statement::Global,
            ),
        ]
    }
}
