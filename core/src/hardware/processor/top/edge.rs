//! What packets and the host come to first: intake, threads, host port, programs.

use super::super::port::{port, PortIn, PortOut};
use super::super::program::{program, InsideIn, ProgramIn, ProgramOut};
use super::super::{DECIDED_AFTER, FETCH};
use super::devices::Lists;
use super::Loops;
use super::Top;
use super::SETTLES;
use crate::hardware::packets::intake::{intake, Intake, IntakeIn, IntakeOut, LimitsIn};
use crate::hardware::packets::memory::STORE_CLOCKS;
use crate::hardware::pick::{bit_at, one_hot};
use crate::hardware::shift::{later, later_from_reset};
use crate::hardware::threads::{threads, Threads, ThreadsIn, ThreadsOut};
use hardpath_blocks::axi::{LiteIn, LiteOut, TopIn};
use hardpath_blocks::host::{host, Host, HostIn, HostOut};
use hardpath_ir::OwnInput;
use hardpath_registers::EVENTS;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

impl Top<'_> {
    pub(super) fn intake(&mut self, inputs: &TopIn, loops: &Loops) -> IntakeOut {
        let config = Intake {
            name: self.inner("intake"),
            ring: self.config.ring,
            beat_bytes: self.config.bus_bits / 8,
            descriptors: 16,
            has_time: self.config.has_time,
            has_random: self.config.has_random,
            has_egress: self.config.has_egress,
            own_bits: OwnInput::bits(&self.config.inputs),
        };
        let limits = loops.settings.iter().map(|settings| LimitsIn {
            headroom_lines: settings.front_lines,
            tail: settings.tail,
            shortest: settings.shortest,
            longest: settings.longest,
        });
        let ports = IntakeIn {
            stream: inputs.stream.clone(),
            sideband: inputs.sideband.clone(),
            limits: limits.collect(),
            bank: loops.bank,
            running: loops.runs,
            given: loops.given.clone(),
            line_ready: loops.line_ready,
            descriptor_take: loops.descriptor_take,
        };
        let block = intake(self.design, &config);
        block.place(self.design, self.m, "intake", ports).out
    }

    pub(super) fn threads(&mut self, intake: &IntakeOut, loops: &Loops) -> ThreadsOut {
        let lanes = self.config.lanes();
        let config = Threads {
            threads: self.config.shape.threads,
            row_bits: self.config.row_bits(),
            decided_after: DECIDED_AFTER,
            // The next row begins two clocks behind the one in which registers are written.
            ready_after: (lanes.write_stage() + 2).saturating_sub(DECIDED_AFTER + 1),
            done_after: 3 * u32::from(self.config.machine.stores) + STORE_CLOCKS,
        };
        let open = self.open(loops);
        let packet_valid = self.m.and(&[intake.descriptor_valid, open]);
        let first_row = self.m.zero(self.config.row_bits());
        let held = self.m.not(loops.room);
        let ports = ThreadsIn {
            packet_valid,
            packet_bank: intake.descriptor.packet_bank,
            first_row,
            brought_valid: loops.brought.valid,
            brought_thread: loops.brought.thread,
            brought_stays: loops.brought.stays,
            answered: loops.answered,
            answered_thread: loops.answer.answer_thread,
            gap: loops.gap,
            leads: loops.leads.clone(),
            leave_ready: loops.leave_ready,
            held,
            stale: loops.stale,
        };
        let block = threads(&self.inner("threads"), &config);
        let out = block.place(self.design, self.m, "threads", ports).out;
        let some = self.m.reduce_or(out.packets);
        self.m.drive(loops.some_inside, some);
        out
    }

    /// Packets get threads.
    pub(super) fn open(&mut self, loops: &Loops) -> Node {
        match self.config.alone {
            true => self.m.not(loops.some_inside),
            false => self.m.one(),
        }
    }

    pub(super) fn host(
        &mut self,
        inputs: &TopIn,
        intake: &IntakeOut,
        entered: Node,
        loops: &Loops,
    ) -> (LiteOut, HostOut) {
        let (key_bits, value_bits) = self.config.host_bits();
        let block = host(&Host {
            name: self.inner("host"),
            design_id: self.config.identity(),
            maps: self.config.slots.len() as u32,
            key_bits,
            value_bits,
            long: self.config.long(),
            repeats: false,
            slot_bits: self.config.slot_bits(),
            has_port_table: true,
            prepares: true,
            found_at_once: true,
            clear_words: self.config.clear_words(),
            events: EVENTS as u32,
        });
        let told = LiteIn::of_words()
            .map(&mut |name, _, width| self.m.wire(width, format!("registers_{name}")));
        let ports = HostIn {
            lite: told.clone(),
            packet_in: self.m.delay_reset("packet_enters", entered),
            dropped_bad: intake.dropped_bad,
            dropped_length: intake.dropped_length,
            fate_valid: loops.fate_valid,
            counted: loops.counted,
            answer: loops.map_answer.clone(),
            map_prepared: Some(loops.map_prepared),
            early_port: Some(intake.descriptor.packet_port),
            long: loops.long.clone(),
            event: loops.events.clone(),
        };
        let host = block.place(self.design, self.m, "host", ports).out;
        let ports = PortIn {
            lite: inputs.lite.clone(),
            inner: vec![("registers".into(), host.lite.clone())],
            status: loops.status,
            load_clocks: loops.load_clocks,
            load_before: loops.load_before,
        };
        let split = port(&self.inner("port"));
        let PortOut {
            lite,
            inner,
            load_begins,
            load_goes,
            load_valid,
            load_word,
        } = split.place(self.design, self.m, "port", ports).out;
        self.m.drive_ports(told, inner[0].1.clone());
        self.m.drive(loops.load_begins, load_begins);
        self.m.drive(loops.load_goes, load_goes);
        self.m.drive(loops.load_valid, load_valid);
        self.m.drive(loops.load_word, load_word);
        (lite, host)
    }

    pub(super) fn program(
        &mut self,
        threads: &ThreadsOut,
        intake: &IntakeOut,
        loops: &Loops,
    ) -> ProgramOut {
        let brought = threads.chosen.brought;
        let own = self.m.not(brought);
        let own = self.m.and(&[threads.chosen.chosen, own]);
        let mut until = |name: &str, node: Node| later_from_reset(self.m, name, node, FETCH - 1);
        let (row_valid, answer_valid) = (until("row_valid", own), until("answer_here", brought));
        let may_store = self.may_store(threads, loops);
        let ports = ProgramIn {
            row: threads.chosen.fetched,
            row_bank: threads.chosen.bank,
            row_valid,
            may_store,
            answer_valid,
            answer_lane: loops.brought.lane,
            answer_word: loops.brought.word,
            load_begins: loops.load_begins,
            load_valid: loops.load_valid,
            load_word: loops.load_word,
            load_goes: loops.load_goes,
            inside: InsideIn {
                none_inside: loops.all_out,
                closed: loops.empty,
                enters: threads.packet_ready,
                enters_bank: intake.descriptor.packet_bank,
                some_inside: loops.some_inside,
                oldest_bank: threads.oldest_bank,
            },
            running: loops.runs,
            host_works: loops.host_works,
            host_begins: loops.host_begins,
            swept: loops.swept,
        };
        let block = program(self.config);
        let out = block.place(self.design, self.m, "program", ports).out;
        for (wire, word) in loops.words.iter().zip(&out.words) {
            self.m.drive(*wire, *word);
        }
        self.m.drive(loops.status, out.status);
        self.m.drive(loops.load_clocks, out.load_clocks);
        self.m.drive(loops.load_before, out.load_before);
        self.m.drive(loops.clears, out.clears);
        self.m.drive_ports(loops.rooms.clone(), out.rooms.clone());
        self.m.drive(loops.parks, out.parks);
        self.m.drive(loops.stores, out.stores);
        for (wires, settings) in loops.settings.iter().zip(&out.settings) {
            self.m.drive_ports(wires.clone(), settings.clone());
        }
        self.m.drive(loops.bank, out.bank);
        self.m.drive(loops.changed_before, out.changed_before);
        out
    }

    /// In stage -1: the row's packet is the oldest one, or has read nothing that others may change.
    pub(super) fn may_store(&mut self, threads: &ThreadsOut, loops: &Loops) -> Node {
        let m = &mut *self.m;
        let thread = later(m, "thread_that_stores", threads.chosen.thread, FETCH - 2);
        let guesses = bit_at(m, loops.guesses, thread);
        let stale = bit_at(m, threads.is_stale, thread);
        let is_oldest = m.eq(thread, threads.oldest);
        let sure = m.not(stale);
        let surely = m.and(&[is_oldest, sure]);
        let nothing = m.not(guesses);
        let may = m.or(&[surely, nothing]);
        m.delay("may_store", may)
    }

    /// No packet is taken in while the host's operation, or a program whose maps become empty, waits for those that are here to leave. So
    /// both have their place in the order in which packets arrive.
    pub(super) fn close(
        &mut self,
        (host, intake, lists): (&HostOut, &IntakeOut, Option<&Lists>),
        program: &ProgramOut,
        loops: &Loops,
    ) {
        let m = &mut *self.m;
        let (asks_reg, asks) = m.reg_reset("host_asks", 1, 0);
        let starts = host.question.map_start.expect("maps are prepared");
        let over = m.not(loops.map_answer.map_done);
        let stays = m.and(&[asks, over]);
        let next = m.or(&[starts, stays]);
        m.set_next(asks_reg, next);
        m.drive(loops.host_works, asks);
        let slots = m.width(loops.host_begins);
        let begins = one_hot(m, slots, starts, host.question.map_select);
        m.drive(loops.host_begins, begins);
        let open = m.not(program.wants);
        let told = m.not(program.holds);
        let host_rests = m.not(asks);
        let open = m.and(&[program.runs, open, told, host_rests]);
        let settled = later_from_reset(m, "settled", open, SETTLES);
        let running = m.and(&[open, settled]);
        m.drive(loops.runs, running);
        let all_out = m.and(&[intake.idle, loops.is_still]);
        m.drive(loops.all_out, all_out);
        let not_running = m.not(settled);
        // An operation of the host is over before another program has its maps.
        let empty = m.and(&[all_out, not_running, host_rests]);
        m.drive(loops.empty, empty);
        let lists = lists.map(|lists| lists.prepared);
        let all: Vec<Node> = [asks, all_out, not_running]
            .into_iter()
            .chain(lists)
            .collect();
        let prepared = m.and(&all);
        m.drive(loops.map_prepared, prepared);
    }
}
