//! Rows: from their words to what lanes write.

use super::super::{computes, is, FETCH};
use super::Loops;
use super::Top;
use crate::encode::layout::{self, Opcode};
use crate::hardware::decode::{decode, DecodeIn};
use crate::hardware::lanes::{lanes_in, LanesIn, LanesOut, LateIn, CUT_STAGE, OPERAND_STAGE};
use crate::hardware::operand::{operand, FieldIn, OperandIn};
use crate::hardware::packets::intake::IntakeOut;
use crate::hardware::pick::Pick;
use crate::hardware::predicates::update_clocks;
use crate::hardware::product::{product, ProductIn, PRODUCT_CLOCKS};
use crate::hardware::shift::{later, later_from_reset, upto};
use crate::hardware::threads::ThreadsOut;
use crate::isa::{Compute, PREDICATES};
use hardpath_blocks::counters::choose;
use hardpath_blocks::host::HostOut;
use hardpath_rtl::{MemStyle, Module, Node};

impl Top<'_> {
    /// In stage 0: a row of the program begins; it is its packet's first one.
    pub(super) fn begins(&mut self, threads: &ThreadsOut) -> (Node, Node) {
        let m = &mut *self.m;
        let own = m.not(threads.chosen.brought);
        let own = m.and(&[threads.chosen.chosen, own]);
        let begins = later_from_reset(m, "row_begins", own, FETCH);
        let starts = later(m, "packet_starts", threads.chosen.starts, FETCH);
        (begins, starts)
    }

    pub(super) fn lanes(
        &mut self,
        threads: &ThreadsOut,
        (thread, begins, starts): (Node, Node, Node),
        intake: &IntakeOut,
        host: &HostOut,
        loops: &Loops,
    ) -> LanesOut {
        let lanes = self.config.lanes();
        let shape = &self.config.shape;
        let predicates = self.m.wire(PREDICATES.into(), "predicates_next_wire");
        let read = self.predicates((threads, thread), (begins, starts), predicates, loops);
        let a: Vec<Node> = (0..shape.lanes)
            .map(|lane| self.m.wire(64, format!("operand_a_{lane}")))
            .collect();
        let b: Vec<Node> = (0..shape.lanes)
            .map(|lane| self.m.wire(64, format!("operand_b_{lane}")))
            .collect();
        let given = self.given((threads, thread), intake, host, loops);
        let product = self.product((&a, &b), loops);
        let mut all = Vec::new();
        for lane in 0..usize::from(shape.lanes) {
            let word = loops.words[lane];
            let block = decode(&self.inner("decode"), shape);
            let decoded = block
                .place_another(
                    self.design,
                    self.m,
                    format!("decode_{lane}"),
                    DecodeIn { word },
                )
                .out;
            let late = self.late_of(lane, word, &given, &product, loops);
            all.push(decoded.with(late));
        }
        let ports = LanesIn {
            thread,
            predicates: read,
            lanes: all,
            beside: self.beside(loops),
        };
        let block = lanes_in(self.design, &self.inner("lanes"), &lanes);
        let mut out = block.place(self.design, self.m, "lanes", ports).out;
        self.m.drive(predicates, out.predicates_next);
        self.answered(out.beside_goes, loops);
        // What was under way when a reset came does not happen any more.
        let alive = later_from_reset(self.m, "alive", threads.chosen.chosen, FETCH + CUT_STAGE);
        for node in out.active.iter_mut().chain(&mut out.taken) {
            *node = self.m.and(&[*node, alive]);
        }
        for (wire, node) in a.iter().chain(&b).zip(out.a.iter().chain(&out.b)) {
            self.m.drive(*wire, *node);
        }
        out
    }

    /// The predicates of a row's thread, in stage 5; `next`: what the row makes of them.
    pub(super) fn predicates(
        &mut self,
        (threads, thread): (&ThreadsOut, Node),
        (begins, starts): (Node, Node),
        next: Node,
        loops: &Loops,
    ) -> Node {
        let told = self.told(threads, loops);
        let lanes = self.config.lanes();
        let m = &mut *self.m;
        let clocks = lanes.late_stage() + update_clocks(self.config.shape.lanes);
        let mem = m.mem(
            "predicates",
            PREDICATES.into(),
            self.config.shape.threads.into(),
            MemStyle::Distributed,
        );
        let chosen = threads.chosen.chosen;
        let writes = later_from_reset(m, "writes_predicates", chosen, FETCH + clocks);
        let at = later(m, "thread_of_predicates", thread, clocks);
        m.mem_write(mem, at, next, writes);
        let stage = OPERAND_STAGE - 2;
        let at = later(m, "thread_that_asks", thread, stage);
        let found = m.mem_read_async(mem, at);
        let found = told.put(m, at, found);
        let first = m.and(&[begins, starts]);
        let first = later(m, "first_row", first, stage);
        let old = m.not(first);
        let found = m.gate(old, found);
        m.delay("predicates_of_row", found)
    }

    /// What enters beside packets: of the row's only operation that asks for it, in stage L.
    pub(super) fn given(
        &mut self,
        (threads, thread): (&ThreadsOut, Node),
        intake: &IntakeOut,
        host: &HostOut,
        loops: &Loops,
    ) -> Given {
        let stage = self.config.lanes().late_stage();
        let count = self.config.shape.threads.into();
        let m = &mut *self.m;
        let descriptor = &intake.descriptor;
        let ports = host.ports.as_ref().expect("there is a port table");
        let queue = m.resize(descriptor.packet_queue, m.width(ports.port_queue));
        let queue = m.add(queue, ports.port_queue);
        let kinds: Vec<Node> = loops
            .words
            .iter()
            .map(|word| is(m, *word, &[Opcode::Input]))
            .collect();
        let pick = Pick::nth(m, &kinds, 0);
        let part =
            |m: &mut Module, name: &str, bits, stage| pick.part(m, name, &loops.words, bits, stage);
        // In the order of their codes; what a core does not have is zeros.
        let words = [
            Some(descriptor.packet_length),
            Some(ports.port_interface),
            Some(queue),
            descriptor.packet_egress,
            descriptor.packet_time_ns,
            descriptor.packet_random,
        ];
        let read_at = later(m, "thread_of_input", thread, stage - 5);
        let kept = |m: &mut Module, name: &str, word: Node| {
            let mem = m.mem(name, m.width(word), count, MemStyle::Distributed);
            m.mem_write(mem, threads.packet_thread, word, threads.packet_ready);
            let found = m.mem_read_async(mem, read_at);
            m.delay(format!("{name}_read"), found)
        };
        let names = ["length", "interface", "queue", "egress", "time", "random"];
        let mut values = Vec::new();
        for (name, word) in names.into_iter().zip(words) {
            values.push(match word {
                Some(word) => {
                    let found = kept(m, &format!("given_{name}"), word);
                    m.zext(found, 64)
                }
                None => m.zero(64),
            });
        }
        let code = part(m, "input_code", layout::INPUT, stage - 4);
        let value = choose(m, &values, code);
        let value = later(m, "input_value", value, 4);
        let value = match descriptor.packet_own {
            Some(own) => {
                let own = kept(m, "given_own", own);
                let own_value = m.zext(own, 64);
                let field_lo = part(m, "own_lo", layout::OWN_LO, stage - 5);
                let field_top = part(m, "own_top", layout::OWN_WIDTH, stage - 5);
                let zero = m.zero(1);
                let number = m.zero(64);
                let ports = OperandIn {
                    field: FieldIn {
                        field_lo,
                        field_top,
                        field_swapped: zero,
                        field_signed: zero,
                    },
                    value: own_value,
                    number,
                };
                let is_own = m.eq_const(code, layout::INPUTS.len() as u64);
                let is_own = later(m, "is_own", is_own, 4);
                let name = format!("{}_own", self.config.name);
                let found = operand(&name)
                    .place(self.design, m, "own", ports)
                    .out
                    .operand;
                m.mux(is_own, found, value)
            }
            None => value,
        };
        Given { value }
    }

    pub(super) fn product(&mut self, (a, b): (&[Node], &[Node]), loops: &Loops) -> Node {
        let m = &mut *self.m;
        let kinds = loops.words.iter().map(|word| multiplies(m, *word));
        let kinds: Vec<Node> = kinds.collect();
        let pick = Pick::nth(m, &kinds, 0);
        let stage = self.config.lanes().late_stage();
        let top = pick.part(m, "product_top", &loops.words, layout::WIDTH, stage - 1);
        let mask = upto(m, top);
        let mask = m.delay("product_mask", mask);
        let pick = pick.later(m, "product_operands", OPERAND_STAGE);
        let [a, b] = [a, b].map(|all| pick.of(m, all));
        let block = product(&format!("{}_product", self.config.name));
        let found = block
            .place(self.design, m, "product", ProductIn { a, b })
            .out
            .product;
        let found = later(
            m,
            "product_late",
            found,
            stage - OPERAND_STAGE - PRODUCT_CLOCKS,
        );
        m.and(&[found, mask])
    }

    pub(super) fn late_of(
        &mut self,
        lane: usize,
        word: Node,
        given: &Given,
        product: &Node,
        loops: &Loops,
    ) -> LateIn {
        let stage = self.config.lanes().late_stage();
        let m = &mut *self.m;
        let loads = is(m, word, &[Opcode::Load]);
        let asks = is(m, word, &[Opcode::Input]);
        let multiplies = multiplies(m, word);
        let late = m.or(&[loads, asks, multiplies]);
        let late = later(m, &format!("late_{lane}"), late, stage);
        let bits = hardpath_blocks::index_bits(loops.loads.len() as u64 + 2);
        let others = loops.loads.len() as u64;
        let of_input = m.constant(others, bits);
        let of_product = m.constant(others + 1, bits);
        let from = m.mux(asks, of_input, of_product);
        // Which load it is: as many as there are in earlier lanes.
        let earlier: Vec<Node> = loops.words[..lane]
            .iter()
            .map(|word| is(m, *word, &[Opcode::Load]))
            .collect();
        let mut count = m.zero(bits);
        for is in earlier {
            let one = m.zext(is, bits);
            count = m.add(count, one);
        }
        let from = m.mux(loads, count, from);
        let from = later(m, &format!("late_from_{lane}"), from, stage);
        let sources: Vec<Node> = loops
            .loads
            .iter()
            .copied()
            .chain([given.value, *product])
            .collect();
        let value = choose(m, &sources, from);
        LateIn {
            late,
            late_value: value,
        }
    }
}

/// What enters beside packets, in stage L.
pub(super) struct Given {
    value: Node,
}

fn multiplies(m: &mut Module, word: Node) -> Node {
    computes(m, word, |op| op == Compute::Mul)
}
