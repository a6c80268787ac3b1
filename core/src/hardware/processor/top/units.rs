//! What lanes ask of others: bytes, maps, what takes long, and the end of a packet.

use super::super::accesses::{accesses, AccessesIn, AccessesOut, EntersIn};
use super::super::asks::{asks, AskOut, AsksIn};
use super::super::exits::{exits, ExitLaneIn, ExitsIn, ExitsOut, PutWordIn, SendsIn};
use super::super::requests::{requests, HostAsksIn, RequestsIn, RequestsOut};
use super::super::shared::OperationIn;
use super::super::slow::{slow, SlowIn, SlowOut};
use super::super::statistics::{statistics, StatisticsIn};
use super::super::{DECIDED_AFTER, FETCH};
use super::devices::Lists;
use super::entering::Entering;
use super::Loops;
use super::Top;
use crate::hardware::lanes::{LanesOut, CUT_STAGE};
use crate::hardware::packets::intake::IntakeOut;
use crate::hardware::packets::memory::{memory, Memory, MemoryIn, MemoryOut, LOAD_CLOCKS};
use crate::hardware::packets::transmit::{transmit, Transmit, TransmitIn, TransmitOut};
use crate::hardware::shift::{later, later_from_reset};
use crate::hardware::threads::ThreadsOut;
use hardpath_blocks::axi::TopIn;
use hardpath_blocks::host::{counted_as, HostOut};
use hardpath_rtl::Node;

impl Loops {
    /// The operations of a row: their words, and what lanes make of their operands.
    fn operations(&self, lanes: &LanesOut) -> Vec<OperationIn> {
        let all = self.words.iter().enumerate();
        let all = all.map(|(lane, word)| OperationIn {
            word: *word,
            a: lanes.a[lane],
            b: lanes.b[lane],
            active: lanes.active[lane],
        });
        all.collect()
    }
}

impl Top<'_> {
    pub(super) fn accesses(
        &mut self,
        entering: &Entering,
        thread: Node,
        lanes: &LanesOut,
        loops: &Loops,
    ) -> AccessesOut {
        let ports = AccessesIn {
            settings: loops.settings.clone(),
            enters: EntersIn {
                enters: entering.enters,
                enters_thread: entering.thread,
                enters_bank: entering.descriptor.packet_bank,
                enters_line: entering.descriptor.packet_line,
                enters_reach: entering.reach,
            },
            thread,
            lanes: loops.operations(lanes),
        };
        let block = accesses(self.config);
        block.place(self.design, self.m, "accesses", ports).out
    }

    /// What the row asks of a map, or of what is slow.
    pub(super) fn asks(&mut self, lanes: &LanesOut, loops: &Loops) -> AskOut {
        let ports = AsksIn {
            lanes: loops.operations(lanes),
        };
        asks(self.config)
            .place(self.design, self.m, "asks", ports)
            .out
    }

    pub(super) fn requests(
        &mut self,
        threads: &ThreadsOut,
        thread_9: Node,
        (lanes, ask): (&LanesOut, &AskOut),
        host: &HostOut,
        loops: &Loops,
    ) -> RequestsOut {
        let stores_9 = later_from_reset(self.m, "stores", loops.stores, CUT_STAGE);
        let leaves = self.m.and(&[threads.leave_valid, loops.leave_ready]);
        let has_maps = !self.config.slots.is_empty();
        let bank_9 = later(
            self.m,
            "bank_of_row",
            threads.chosen.bank,
            FETCH - 1 + CUT_STAGE,
        );
        let ordered = loops.settings.iter().map(|settings| settings.ordered);
        let ports = RequestsIn {
            ordered: ordered.collect(),
            bank: loops.bank,
            bank_9,
            changed_before: loops.changed_before,
            lanes: loops.operations(lanes),
            ask: ask.clone(),
            thread_9,
            stores_9,
            oldest: threads.oldest,
            some_inside: loops.some_inside,
            done: threads.leave_valid,
            leaves,
            is_stale: threads.is_stale,
            restarts: threads.restarts,
            rooms: loops.rooms.clone(),
            clears: loops.clears,
            answer_taken: loops.answered,
            host: has_maps.then(|| HostAsksIn {
                host_inject: host.inject,
                question: host.question.clone(),
                long_bytes: host.long_bytes,
            }),
        };
        let block = requests(self.design, self.config);
        let out = block.place(self.design, self.m, "requests", ports).out;
        if let Some(answer) = &out.host {
            self.m.drive_ports(loops.map_answer.clone(), answer.clone());
        }
        if let Some((wires, long)) = loops.long.clone().zip(out.long.clone()) {
            self.m.drive_ports(wires, long);
        }
        let swept = self.m.delay_reset("all_swept", out.swept);
        self.m.drive(loops.swept, swept);
        self.m.drive_ports(loops.answer.clone(), out.answer.clone());
        self.m.drive(loops.stale, out.stale);
        self.m.drive(loops.guesses, out.guesses);
        let none = self.m.not(loops.some_inside);
        let still = self.m.and(&[none, out.still]);
        self.m.drive(loops.is_still, still);
        out
    }

    /// What becomes of the clocks.
    pub(super) fn statistics(
        &mut self,
        inputs: &TopIn,
        (intake, threads): (&IntakeOut, &ThreadsOut),
        requests: &RequestsOut,
        (waits, thread_9): (Node, Node),
        loops: &Loops,
    ) {
        let chosen = &threads.chosen;
        let full = match self.config.alone {
            true => loops.some_inside,
            // A power of two: its highest bit is 1 only then.
            false => {
                let bits = self.m.width(threads.packets);
                self.m.bit(threads.packets, bits - 1)
            }
        };
        let ports = StatisticsIn {
            row: loops.row,
            parks: loops.parks,
            chosen: chosen.chosen,
            chosen_thread: chosen.thread,
            starts: chosen.starts,
            brought: chosen.brought,
            stays: loops.brought.stays,
            answered: loops.answered,
            answered_thread: loops.answer.answer_thread,
            gap: loops.gap,
            restarts: threads.restarts,
            waits,
            waits_for_map: requests.waits,
            thread_9,
            overflows: requests.overflows,
            cuts: loops.cuts,
            full,
            open: self.m.not(loops.host_works),
            packet_valid: intake.descriptor_valid,
            beat_valid: inputs.stream.s_axis_tvalid,
            runs: loops.runs,
            oldest: threads.oldest,
            done: threads.leave_valid,
            committed: requests.committed,
            room: loops.room,
            some_wait: requests.some_wait,
        };
        let block = statistics(self.config);
        let out = block.place(self.design, self.m, "statistics", ports).out;
        for (wire, event) in loops.events.iter().zip(out.event) {
            self.m.drive(*wire, event);
        }
    }

    pub(super) fn slow(
        &mut self,
        (threads, entering): (&ThreadsOut, &Entering),
        thread_9: Node,
        ask: &AskOut,
        requests: &RequestsOut,
        loops: &Loops,
    ) -> SlowOut {
        let ports = SlowIn {
            ask: ask.clone(),
            thread_9,
            enters: entering.enters,
            enters_thread: entering.thread,
            enters_reach: entering.reach,
            value_puts: requests.value_puts,
            value_put_data: requests.value_put_data,
            loaded: loops.loads[0],
            room: loops.room,
            brought_ready: threads.brought_ready,
        };
        let block = slow(self.design, self.config);
        let out = block.place(self.design, self.m, "slow", ports).out;
        let m = &mut *self.m;
        m.drive(loops.brought.valid, out.brought_valid);
        m.drive(loops.brought.thread, out.brought_thread);
        m.drive(loops.brought.stays, out.brought_stays);
        // Words come two clocks behind.
        let word = later(m, "word_brought", out.brought_word, 2);
        m.drive(loops.brought.word, word);
        if let Some((wire, lane)) = loops.brought.lane.zip(out.brought_lane) {
            let lane = later(m, "lane_brought", lane, 2);
            m.drive(wire, lane);
        }
        out
    }

    pub(super) fn exits(
        &mut self,
        (threads, entering): (&ThreadsOut, &Entering),
        (lanes, lists): (&LanesOut, Option<Lists>),
        (thread_9, over, begins, starts): (Node, Node, Node, Node),
        (requests, waits, job_ready): (&RequestsOut, Node, Node),
        loops: &Loops,
    ) -> ExitsOut {
        let all = loops
            .words
            .iter()
            .enumerate()
            .map(|(lane, word)| ExitLaneIn {
                word: *word,
                a: lanes.a[lane],
                taken: lanes.taken[lane],
            });
        let puts = requests.exit_puts.iter().zip(&requests.exit_put_data);
        let leave_valid = self.m.and(&[threads.leave_valid, requests.committed]);
        let ports = ExitsIn {
            thread_9,
            over,
            enters: entering.enters,
            enters_thread: entering.thread,
            enters_line: entering.descriptor.packet_line,
            enters_lines: entering.descriptor.packet_lines,
            enters_front_lines: entering.front_lines,
            enters_length: entering.descriptor.packet_length,
            put_thread: requests.exit_put_thread,
            put_words: puts
                .map(|(puts, data)| PutWordIn {
                    puts: *puts,
                    put_data: *data,
                })
                .collect(),
            lanes: all.collect(),
            oldest: threads.oldest,
            leave_valid,
            job_ready,
            sends: (self.config.copies > 0).then(|| SendsIn {
                row_begins: begins,
                row_starts: starts,
                lane_active: lanes.active.clone(),
            }),
            broadcast: lists.as_ref().map(Lists::exits),
        };
        let block = exits(self.design, self.config);
        let out = block.place(self.design, self.m, "exits", ports).out;
        if let Some((lists, read)) = lists.zip(out.lists.as_ref()) {
            lists.drive(self.m, read);
        }
        let waits = self.m.delay_reset("waits_10", waits);
        // A row that is parked comes once more.
        let m = &mut *self.m;
        let parks = later_from_reset(m, "parks", loops.parks, CUT_STAGE + 1);
        let own = later(m, "own_row", threads.chosen.fetched, DECIDED_AFTER - 1);
        let goes = m.or(&[out.goes, parks]);
        let row = m.mux(parks, own, out.goes_to);
        m.drive(loops.leads.goes, goes);
        m.drive(loops.leads.row, row);
        self.m.drive(loops.leads.ends, out.ends);
        self.m.drive(loops.leads.waits, waits);
        self.m.drive(loops.leave_ready, out.leave_ready);
        out
    }

    pub(super) fn packets(
        &mut self,
        inputs: &TopIn,
        intake: &IntakeOut,
        accesses: &AccessesOut,
        exits: &ExitsOut,
        loops: &Loops,
    ) -> (MemoryOut, TransmitOut) {
        let config = Memory {
            name: self.inner("memory"),
            ring: self.config.ring,
            loads: self.config.machine.loads.into(),
            stores: self.config.machine.stores.into(),
            // Each thread has one row of them at most behind those that still let others on.
            queue: 2 * u32::from(self.config.shape.threads).max(16),
            flight: 2 * u32::from(self.config.shape.threads).max(16) - 4,
        };
        let block = memory(&config);
        let read = crate::hardware::packets::memory::ReadIn {
            read: self.m.wire(1, "read"),
            read_index: self.m.wire(self.config.ring.line_bits(), "read_index"),
        };
        let ports = MemoryIn {
            line: crate::hardware::packets::memory::LineIn {
                line_valid: intake.line.line_valid,
                line_index: intake.line.line_index,
                line_zeros: intake.line.line_zeros,
                line_data: intake.line.line_data,
            },
            stores: accesses.stores.clone(),
            loads: accesses.loads.clone(),
            read: read.clone(),
        };
        let memory = block.place(self.design, self.m, "memory", ports).out;
        self.m.drive(loops.line_ready, memory.line_ready);
        self.m.drive(loops.room, memory.room);
        let config = Transmit {
            name: self.inner("transmit"),
            ring: self.config.ring,
            beat_bytes: self.config.bus_bits / 8,
            output_bits: self.config.output_bits(),
            repeats: self.config.repeats(),
        };
        let ports = TransmitIn {
            job: exits.job.clone(),
            front: exits.front.clone(),
            read_data: memory.read_data,
            read_written: memory.read_written,
            m_axis_tready: inputs.m_axis_tready,
        };
        let transmit = transmit(&config);
        let transmit = transmit.place(self.design, self.m, "transmit", ports).out;
        self.m.drive(read.read, transmit.read.read);
        self.m.drive(read.read_index, transmit.read.read_index);
        self.m
            .drive(loops.given.given_back, transmit.given.given_back);
        self.m
            .drive(loops.given.given_lines, transmit.given.given_lines);
        self.m.drive(loops.fate_valid, transmit.fate.fate_valid);
        let counted = counted_as(self.m, &self.config.outputs, transmit.fate.fate);
        self.m.drive(loops.counted, counted);
        (memory, transmit)
    }

    pub(super) fn late(&mut self, memory: &MemoryOut, loops: &Loops) {
        debug_assert!(
            super::super::accesses::LOAD_STAGE + LOAD_CLOCKS == self.config.lanes().late_stage()
        );
        for (wire, load) in loops.loads.iter().zip(&memory.loads) {
            self.m.drive(*wire, load.load_data);
        }
    }
}
