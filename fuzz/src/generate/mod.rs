//! Random XDP programs that the kernel's verifier takes, nearly always.
//!
//! A program is written front to back, statement by statement, each one possible in the [`state::State`] before it.
//! Control flow only goes forward: a branch goes to a label whose place comes later, its own or that of a statement
//! around it, so paths cross as in compiled code. At the end pieces of some programs change places, which gives
//! jumps backwards but no loops.

mod arithmetic;
mod control;
mod functions;
mod loops;
mod machine;
mod maps;
mod memory;
mod moves;
mod packet;
mod reach;
mod state;
mod statements;

use crate::code::{Code, Unit};
use crate::encode::{self, helper, Operand};
use crate::flows::FlowByte;
use crate::random::Random;
use functions::Function;
use hardpath_ebpf::{Insn, MapRefKind, ObjectMap, TailCall};
use hardpath_ir::maps::Image;
use state::{Holds, State, STACK};

/// What programs may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Of 100 programs so many use maps.
    pub maps_percent: u32,
    /// Of 100 programs so many have a state machine.
    pub machines_percent: u32,
    /// Of 100 programs so many move the packet's head, tail or metadata.
    pub moves_percent: u32,
    /// Of 100 programs so many have tail calls; as many `bpf_loop`, events, MTUs that they check, global variables.
    pub reach_percent: u32,
    /// Of 100 programs so many are given a loop whose rounds only the packet knows; others have one by chance.
    pub loops_percent: u32,
}

impl Features {
    /// Those for cores, which keep loops.
    pub fn for_cores() -> Features {
        Features {
            loops_percent: 80,
            ..Features::default()
        }
    }
}

impl Default for Features {
    fn default() -> Self {
        Features {
            maps_percent: 25,
            machines_percent: 60,
            moves_percent: 25,
            reach_percent: 8,
            loops_percent: 0,
        }
    }
}

/// A program and what its maps hold at first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Generated {
    /// The program, with all maps that it names.
    pub code: Code,
    /// What maps hold before the first packet, where that differs from fresh ones.
    pub image: Image,
    /// The bytes of the packet that make the keys of its state machines.
    pub flow_bytes: Vec<FlowByte>,
}

/// The program of a seed. `attempt` counts from 0: the kernel may not take the first one.
pub fn generate(seed: u64, attempt: u32, features: Features) -> Generated {
    let mut random = Random::new(seed, u64::from(attempt) << 8);
    let with_maps = random.percent(features.maps_percent);
    let machines = random.percent(features.machines_percent);
    let with_moves = random.percent(features.moves_percent);
    // Numbers of its own: so most seeds give the programs that they gave before this was asked.
    let rare_uses = Random::new(seed, u64::from(attempt) << 8 | 2).percent(22);
    let mut reach = Random::new(seed, u64::from(attempt) << 8 | 3);
    let mut reaches = || reach.percent(features.reach_percent);
    let wants_loop = Random::new(seed, u64::from(attempt) << 8 | 4).percent(features.loops_percent);
    let reach = Reach {
        tail_calls: reaches(),
        callbacks: reaches(),
        events: reaches(),
        mtus: reaches(),
        globals: reaches(),
    };
    let generator = Generator {
        random,
        units: Vec::new(),
        state: State::new(),
        live: true,
        labels: Vec::new(),
        open: Vec::new(),
        exits: Vec::new(),
        maps: Vec::new(),
        map_uses: Vec::new(),
        machine_maps: Vec::new(),
        machines_left: 0,
        flow_bytes: Vec::new(),
        wild_maps: false,
        rare_uses,
        with_moves,
        image: Image::new(),
        functions: Vec::new(),
        calls: Vec::new(),
        in_function: false,
        in_callback: false,
        wants_loop,
        in_loop: false,
        loop_calls: false,
        frozen: Vec::new(),
        most_stack: STACK,
        branches: 0,
        next_base: 1,
        next_lookup: 0,
        apart: Vec::new(),
        others: Vec::new(),
        tail_calls: Vec::new(),
        programs: None,
        callbacks: Vec::new(),
        events: None,
        checks_mtu: false,
        globals: Vec::new(),
    };
    generator.program(with_maps, machines, reach)
}

/// What a program has beside maps, machines and moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reach {
    tail_calls: bool,
    callbacks: bool,
    events: bool,
    mtus: bool,
    globals: bool,
}

/// A place that jumps go to before it is known.
struct Label {
    /// The units that jump there.
    jumps: Vec<usize>,
    /// What holds there, as far as ways there are known.
    state: Option<State>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LabelId(usize);

struct Generator {
    random: Random,
    units: Vec<Unit>,
    state: State,
    /// The next instruction can be reached.
    live: bool,
    labels: Vec<Label>,
    /// Labels whose place comes later and that any statement may jump to.
    open: Vec<LabelId>,
    /// Where paths with the verdict in `r0` end.
    exits: Vec<LabelId>,
    maps: Vec<ObjectMap>,
    /// By map.
    map_uses: Vec<maps::Uses>,
    /// The maps of state machines.
    machine_maps: Vec<usize>,
    /// Machines that may still be made.
    machines_left: u32,
    flow_bytes: Vec<FlowByte>,
    /// Maps are used in any way, also in ways that few designs can keep up with.
    wild_maps: bool,
    /// Pointers are used, too, behind changes of their map that hardpath refuses; flags of updates vary.
    rare_uses: bool,
    with_moves: bool,
    image: Image,
    /// The program's own functions, and the calls of them so far: unit and function.
    functions: Vec<Function>,
    calls: Vec<(usize, usize)>,
    in_function: bool,
    in_callback: bool,
    /// A loop of as many rounds as the packet says is still to come.
    wants_loop: bool,
    /// Inside a loop, and whether calls are made there.
    in_loop: bool,
    loop_calls: bool,
    /// Registers that nobody may write now.
    frozen: Vec<u8>,
    /// Bytes of stack that may be used.
    most_stack: i16,
    /// Branches left.
    branches: u32,
    next_base: u32,
    next_lookup: u32,
    /// Maps that no statement for maps chooses.
    apart: Vec<usize>,
    /// Programs that tail calls go to, their entries, and the program array.
    others: Vec<Vec<Unit>>,
    tail_calls: Vec<TailCall>,
    programs: Option<usize>,
    /// The functions (of `functions`) that `bpf_loop` runs.
    callbacks: Vec<usize>,
    /// The ring buffer and the array of perf events.
    events: Option<(usize, usize)>,
    /// There is a map of MTUs.
    checks_mtu: bool,
    /// The maps of global variables.
    globals: Vec<usize>,
}

impl Generator {
    fn program(mut self, with_maps: bool, with_machine: bool, reach: Reach) -> Generated {
        self.declare(with_maps, with_machine, reach);
        self.branches = self.random.between(0, 10) as u32;
        let statements = match self.random.below(4) {
            _ if with_machine => self.random.between(0, 16),
            0 => self.random.between(2, 10),
            1 | 2 => self.random.between(8, 40),
            _ => self.random.between(30, 90),
        };
        self.begin();
        self.prologue();
        let exit = self.label();
        let fail = self.label();
        self.open = vec![fail];
        self.exits = vec![exit];
        self.load_fields();
        self.statements(statements, 0);
        if self.live && self.machines_left > 0 {
            self.machine();
        }
        // Where paths meet only what all of them have can be shown.
        if self.live && self.random.percent(80) {
            self.open.clear();
            self.show_results();
            self.open.push(fail);
            if self.live {
                self.set_verdict();
                self.leave_with_r0();
            }
        }
        self.bind(fail);
        self.open.clear();
        self.show_results();
        self.set_verdict();
        self.bind(exit);
        self.emit(encode::exit());
        let units = std::mem::take(&mut self.units);
        let calls = std::mem::take(&mut self.calls);
        let mut code = Code {
            units: self.link(units, &calls),
            maps: self.maps,
            others: self.others,
            tail_calls: self.tail_calls,
        };
        code = code.without_unreachable();
        // Functions must stay in one piece.
        let movable = self.functions.is_empty() && code.units.len() > 6;
        if movable && self.random.percent(30) {
            code = move_pieces(&code, &mut self.random);
        }
        Generated {
            code,
            image: self.image,
            flow_bytes: self.flow_bytes,
        }
    }

    /// Functions, maps and other programs, before the program itself.
    fn declare(&mut self, with_maps: bool, with_machine: bool, reach: Reach) {
        if reach.events {
            self.declare_events();
        }
        if reach.mtus {
            self.declare_mtus();
        }
        if reach.globals {
            self.declare_globals();
        }
        // Programs behind tail calls have no functions, and call none.
        if !reach.tail_calls && self.random.percent(20) {
            self.declare_functions();
        }
        if !reach.tail_calls && reach.callbacks {
            self.declare_callbacks();
        }
        if with_maps {
            self.declare_maps();
        }
        if with_machine {
            self.declare_machine_maps();
        }
        if reach.tail_calls {
            self.declare_tail_calls();
        }
        if with_machine {
            self.machines_left = 1 + u32::from(self.random.percent(20));
        }
    }

    /// The state at the program's or a function's first instruction.
    fn begin(&mut self) {
        self.state = State::new();
        self.live = true;
    }

    /// Puts the context where calls leave it alone, and often the packet's bounds into registers.
    fn prologue(&mut self) {
        let home = self.random.between(6, 9) as u8;
        if self.random.percent(15) {
            let slot = -8 * self.random.between(1, 8) as i16;
            self.emit(encode::store(10, slot, 8, Operand::Register(1)));
            self.state.spill(slot, Holds::Context);
        } else {
            self.copy(home, 1);
        }
        for _ in 0..self.random.between(0, 3) {
            self.reload_packet();
        }
    }

    /// Loads some fields, as most programs do first.
    fn load_fields(&mut self) {
        if self.random.percent(90) {
            self.check_bounds();
            for _ in 0..self.random.between(1, 5) {
                self.load_packet();
            }
        }
    }

    fn emit(&mut self, insn: Insn) {
        self.units.push(Unit::from(insn));
    }

    fn emit_wide(&mut self, dst: u8, number: u64) {
        self.units.push(Unit {
            insn: Insn {
                code: 0x18,
                dst,
                imm: number as i32,
                ..Insn::default()
            },
            upper: (number >> 32) as i32,
            target: None,
            map: None,
        });
        self.set(dst, Holds::Number);
    }

    /// `dst = map` for a helper, or the address of its first value.
    fn emit_map(&mut self, dst: u8, map: usize, kind: MapRefKind) {
        let (src, upper) = match kind {
            MapRefKind::Fd => (1, 0),
            MapRefKind::Value { offset } => (2, offset as i32),
        };
        self.units.push(Unit {
            insn: Insn {
                code: 0x18,
                dst,
                src,
                ..Insn::default()
            },
            upper,
            target: None,
            map: Some((map, kind)),
        });
    }

    fn set_number(&mut self, register: u8, number: i32) {
        self.emit(encode::mov_number(register, number));
        self.set(register, Holds::Number);
    }

    fn copy(&mut self, dst: u8, src: u8) {
        self.emit(encode::mov(dst, src));
        let varied = self.state.is_varied(src);
        self.state.set(dst, self.holds(src), varied);
    }

    fn holds(&self, register: u8) -> Holds {
        self.state.registers[usize::from(register)]
    }

    fn set(&mut self, register: u8, holds: Holds) {
        self.state.set(register, holds, false);
    }

    /// The register holds a number that depends on what enters with the packet, or not.
    fn set_varied(&mut self, register: u8, varied: bool) {
        self.state.set(register, Holds::Number, varied);
    }

    fn is_varied(&self, operand: Operand) -> bool {
        match operand {
            Operand::Register(register) => self.state.is_varied(register),
            Operand::Number(_) => false,
        }
    }

    fn call(&mut self, number: i32, result: Holds) {
        self.emit(encode::call(number));
        self.state.call(result);
    }

    /// A register with a number; one is made when there is none.
    fn number(&mut self) -> u8 {
        let mut numbers = self.state.registers_with(|holds| holds == Holds::Number);
        // Some operations write their operands.
        numbers.retain(|register| !self.frozen.contains(register));
        let varied: Vec<u8> = (numbers.iter().copied())
            .filter(|register| self.state.is_varied(*register))
            .collect();
        let numbers = match varied.is_empty() || self.random.percent(10) {
            true => numbers,
            false => varied,
        };
        match self.random.pick(&numbers) {
            Some(register) => register,
            None => {
                let register = self.free_register(&[]);
                self.set_some_number(register);
                register
            }
        }
    }

    fn set_some_number(&mut self, register: u8) {
        let number = self.random.interesting();
        if self.random.percent(30) {
            self.emit_wide(register, number);
        } else {
            self.set_number(register, number as i32);
        }
    }

    /// A register that may be overwritten: mostly one without a pointer, never the last way to the context, and none
    /// of `kept`.
    fn free_register(&mut self, kept: &[u8]) -> u8 {
        let is_number = |holds| matches!(holds, Holds::Number | Holds::Nothing);
        let mut candidates = self.state.registers_with(is_number);
        candidates.retain(|register| !kept.contains(register) && !self.frozen.contains(register));
        if self.random.percent(90) {
            let dull = |register: &u8| !self.state.is_varied(*register);
            let dull: Vec<u8> = candidates.iter().copied().filter(dull).collect();
            if !dull.is_empty() {
                candidates = dull;
            }
        }
        if candidates.is_empty() || (!self.in_loop && self.random.percent(8)) {
            candidates = (0..10)
                .filter(|register| !self.frozen.contains(register))
                .filter(|register| !kept.contains(register) && self.may_overwrite(*register))
                .collect();
        }
        let register = self.random.pick(&candidates).unwrap_or(0);
        self.fold_away(register, kept);
        register
    }

    /// Mostly a number that is about to be overwritten goes into another one, so that it still counts.
    fn fold_away(&mut self, register: u8, kept: &[u8]) {
        let is_number = self.holds(register) == Holds::Number;
        if !is_number || !self.state.is_varied(register) || self.random.percent(20) {
            return;
        }
        let mut others = self.state.registers_with(|holds| holds == Holds::Number);
        others.retain(|other| *other != register && !kept.contains(other));
        others.retain(|other| !self.frozen.contains(other));
        if let Some(other) = self.random.pick(&others) {
            let op = self.random.one_of([encode::ADD, encode::XOR, encode::SUB]);
            let wide = self.random.percent(80);
            self.emit(encode::alu(op, wide, other, Operand::Register(register)));
            self.set_varied(other, true);
        }
    }

    /// Not the last way to the context, nor the last one that calls leave alone.
    fn may_overwrite(&self, register: u8) -> bool {
        let contexts = self.state.registers_with(|holds| holds == Holds::Context);
        let spills = self.state.spills_with(|holds| holds == Holds::Context);
        let others = contexts.iter().filter(|other| **other != register);
        let lasting = others.clone().any(|other| *other >= 6);
        !contexts.contains(&register)
            || !spills.is_empty()
            || lasting
            || (register < 6 && others.count() > 0)
    }

    /// A register that holds the context, or the number of the register into which it was loaded from the stack.
    fn context(&mut self) -> Option<u8> {
        let contexts = self.state.registers_with(|holds| holds == Holds::Context);
        if let Some(register) = self.random.pick(&contexts) {
            return Some(register);
        }
        let spills = self.state.spills_with(|holds| holds == Holds::Context);
        let slot = self.random.pick(&spills)?;
        let register = self.free_register(&[]);
        self.emit(encode::load(register, 10, slot, 8));
        self.set(register, Holds::Context);
        Some(register)
    }

    /// Whether the context, where there is one, is where calls leave it alone.
    fn context_lasts(&self) -> bool {
        let contexts = self.state.registers_with(|holds| holds == Holds::Context);
        let spills = self.state.spills_with(|holds| holds == Holds::Context);
        !spills.is_empty() || contexts.is_empty() || contexts.iter().any(|register| *register >= 6)
    }

    /// Before a call: the context is somewhere where the call leaves it alone.
    fn keep_context(&mut self) -> bool {
        let contexts = self.state.registers_with(|holds| holds == Holds::Context);
        let spilled = !self
            .state
            .spills_with(|holds| holds == Holds::Context)
            .is_empty();
        if spilled || contexts.iter().any(|register| *register >= 6) {
            return true;
        }
        let Some(context) = contexts.first().copied() else {
            return false;
        };
        let home = self.random.between(6, 9) as u8;
        self.copy(home, context);
        true
    }

    fn load_context(&mut self) {
        let Some(context) = self.context() else {
            return;
        };
        let dst = self.free_register(&[context]);
        let field = self.random.one_of([12, 16, 20]);
        self.emit(encode::load(dst, context, field, 4));
        self.set_varied(dst, true);
    }

    fn call_plain_helper(&mut self) {
        if !self.keep_context() {
            return;
        }
        let number = self.random.one_of([
            helper::KTIME_GET_NS,
            helper::GET_PRANDOM_U32,
            helper::GET_PRANDOM_U32,
            helper::GET_SMP_PROCESSOR_ID,
            helper::KTIME_GET_BOOT_NS,
            helper::KTIME_GET_COARSE_NS,
            helper::KTIME_GET_TAI_NS,
            helper::JIFFIES64,
            helper::XDP_GET_BUFF_LEN,
        ]);
        if number == helper::XDP_GET_BUFF_LEN {
            match self.context() {
                Some(1) => {}
                Some(context) => self.copy(1, context),
                None => return,
            }
        }
        self.call(number, Holds::Number);
    }

    fn redirect(&mut self) {
        if !self.keep_context() {
            return;
        }
        if self.random.percent(50) {
            let number = self.number();
            self.copy(1, number);
            self.emit(encode::alu(encode::AND, true, 1, Operand::Number(7)));
        } else {
            let ifindex = self.random.below(6) as i32;
            self.set_number(1, ifindex);
        }
        let flags = i32::from(self.random.percent(5));
        self.set_number(2, flags);
        self.call(helper::REDIRECT, Holds::Number);
        if self.random.percent(50) {
            self.leave_with_r0();
        }
    }
}

/// Cuts the program into pieces and lets them change places.
fn move_pieces(code: &Code, random: &mut Random) -> Code {
    let count = random.between(2, 6).min(code.units.len() - 1);
    let mut cuts: Vec<usize> = (0..count)
        .map(|_| random.between(1, code.units.len() - 1))
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut order: Vec<usize> = (1..=cuts.len()).collect();
    for index in (1..order.len()).rev() {
        order.swap(index, random.below(index + 1));
    }
    let use_gotol = random.percent(25);
    code.with_pieces_moved(&cuts, &order, use_gotol)
}
