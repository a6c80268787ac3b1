//! Packets on the whole way: in, stores and loads of their programs, and out; beside the memory that the program IR means.

use crate::bench::{numbered, Bench};
use hardpath_core::hardware::packets::intake::{intake, Intake};
use hardpath_core::hardware::packets::memory::{memory, Memory, LOAD_CLOCKS, READ_LATER};
use hardpath_core::hardware::packets::transmit::{transmit, Transmit};
use hardpath_core::hardware::packets::Ring;
use hardpath_ir::interpreter::{PacketMemory, Part};
use hardpath_ir::Limits;
use hardpath_rtl::signals::{Block, Ports};
use hardpath_rtl::{Design, Module, Node};
use hardpath_testkit::Random;
use std::collections::{HashMap, VecDeque};

const LINES: u32 = 64;

/// Ports that are connected inside.
const INSIDE: [&str; 12] = [
    "line_valid",
    "line_index",
    "line_zeros",
    "line_data",
    "line_ready",
    "read",
    "read_index",
    "read_data",
    "read_written",
    "given_back",
    "given_lines",
    "descriptor_take",
];

/// Ports of the same name are one net.
struct Top {
    design: Design,
    m: Module,
    nets: HashMap<String, Node>,
}

impl Top {
    fn place<I: Ports + Clone, O: Ports>(&mut self, name: &str, block: Block<I, O>) {
        let (m, nets) = (&mut self.m, &mut self.nets);
        let module = &block.module;
        let inputs = block.inputs().clone().map(&mut |name, _, node| {
            let width = module.width(node);
            let net = nets.entry(name.to_owned());
            *net.or_insert_with(|| match INSIDE.contains(&name) {
                true => m.wire(width, name),
                false => m.input(name, width, ""),
            })
        });
        let out = block.place(&mut self.design, &mut self.m, name, inputs).out;
        out.map(&mut |name, _, node| {
            if INSIDE.contains(&name) {
                let width = self.m.width(node);
                let net = self.nets.entry(name.to_owned());
                let net = *net.or_insert_with(|| self.m.wire(width, name));
                self.m.drive(net, node);
            } else {
                self.m.output(name, node, "");
                self.nets.insert(name.to_owned(), node);
            }
        });
    }
}

fn whole(beat_bytes: u32, memory_config: &Memory) -> Design {
    let ring = Ring { lines: LINES };
    let mut top = Top {
        design: Design::new(),
        m: Module::new("top", ""),
        nets: HashMap::new(),
    };
    let config = Intake {
        ring,
        beat_bytes,
        ..Intake::default()
    };
    let block = intake(&mut top.design, &config);
    top.place("intake", block);
    top.place("memory", memory(memory_config));
    let config = Transmit {
        ring,
        beat_bytes,
        repeats: false,
        ..Transmit::default()
    };
    top.place("transmit", transmit(&config));
    let m = &mut top.m;
    let wants = m.input("wants", 1, "");
    let takes = m.and(&[wants, top.nets["descriptor_valid"]]);
    m.drive(top.nets["descriptor_take"], takes);
    top.design.add(top.m);
    top.design
}

/// What the thread does with its packet.
enum Thread {
    Idle,
    /// Stores, so many rows more.
    Stores(u32),
    /// Waits, so many clocks more, while it loads.
    Waits(u32),
    /// Offers its job.
    Fronts(Vec<u8>),
    Leaves(Vec<u8>),
}

struct Run {
    bench: Bench,
    random: Random,
    limits: Limits,
    memory: PacketMemory,
    length: i64,
    /// The line of offset 0, and all lines.
    place: (i64, u64),
    /// What loads must give, for the clocks to come.
    loads: VecDeque<Option<[u64; 2]>>,
}

impl Run {
    fn reach(&self) -> i64 {
        self.length.max(self.limits.tail.into())
    }

    /// An access at an offset, as far as it is within the packet's memory: address, first, end.
    fn bounds(&self, offset: i64) -> (u64, u64, u64) {
        let headroom = i64::from(self.limits.headroom);
        let first = (-headroom - offset).clamp(0, 8);
        let end = (self.reach() - offset).clamp(first, 8);
        let bytes = i64::from(LINES) * 64;
        let address = (self.place.0 * 64 + offset).rem_euclid(bytes);
        (address as u64, first as u64, end as u64)
    }

    fn offset(&mut self) -> i64 {
        let headroom = i64::from(self.limits.headroom);
        let all = (headroom + self.reach() + 16) as u64;
        self.random.below(all) as i64 - headroom - 8
    }

    fn stores(&mut self, there: bool) {
        for number in 0..2 {
            let there = there && self.random.below(4) > 0;
            let (offset, value) = (self.offset(), self.random.next());
            let (address, first, end) = self.bounds(offset);
            self.bench
                .set(&numbered("store_valid", number), there.into());
            self.bench.set(&numbered("store_address", number), address);
            self.bench.set(&numbered("store_first", number), first);
            self.bench.set(&numbered("store_end", number), end);
            self.bench.set(&numbered("store_data", number), value);
            if there {
                for (at, byte) in (0..).zip(value.to_le_bytes()) {
                    self.memory.set_byte((offset + at) as u64, byte);
                }
            }
        }
    }

    /// Two loads; `known`: of what they give.
    fn load(&mut self, known: bool) {
        let values = [0, 1].map(|number| {
            let offset = self.offset();
            let (address, first, end) = self.bounds(offset);
            self.bench.set(&numbered("load_address", number), address);
            self.bench.set(&numbered("load_first", number), first);
            self.bench.set(&numbered("load_end", number), end);
            let bytes = std::array::from_fn(|at| self.memory.byte((offset + at as i64) as u64));
            u64::from_le_bytes(bytes)
        });
        self.loads.push_back(known.then_some(values));
    }

    /// Says what leaves of the packet. Gives the bytes.
    fn job(&mut self) -> Vec<u8> {
        let headroom = i64::from(self.limits.headroom);
        let from = self.random.below((headroom + self.length + 1) as u64) as i64 - headroom;
        let end = from + self.random.below((self.reach() - from + 1) as u64) as i64;
        let zeros = from + self.random.below((self.reach() - from + 1) as u64) as i64;
        let part = match self.random.below(3) {
            0 => Part::unmoved(self.length as usize),
            _ => Part { from, end, zeros },
        };
        let front: Vec<u8> = (0..self.random.below(65))
            .map(|_| self.random.next() as u8)
            .collect();
        let bench = &mut self.bench;
        bench.set("job_forwarded", 1);
        bench.set("job_line", self.place.0 as u64);
        bench.set("job_lines", self.place.1);
        bench.set("job_from", part.from as u64 & 0xffff);
        bench.set("job_end", part.end as u64 & 0xffff);
        bench.set("job_zeros", part.zeros as u64 & 0xffff);
        bench.set("job_front_length", front.len() as u64);
        bench.set_bytes("front", &front);
        let mut data = front;
        data.extend(self.memory.leaving(&part));
        data
    }

    /// Compares what loads have given.
    fn loaded(&mut self) {
        if self.loads.len() > LOAD_CLOCKS as usize {
            if let Some(Some(values)) = self.loads.pop_front() {
                for (number, value) in values.into_iter().enumerate() {
                    assert_eq!(self.bench.get(&numbered("load_data", number)), value);
                }
            }
        }
    }
}

/// Beats of a packet: bytes, which of them, and whether it is the last one.
fn beats(packet: &[u8], beat_bytes: usize) -> impl Iterator<Item = (Vec<u8>, u64, bool)> + '_ {
    let last = packet.len().div_ceil(beat_bytes) - 1;
    let parts = packet.chunks(beat_bytes).enumerate();
    parts.map(move |(number, part)| (part.to_vec(), u64::MAX >> (64 - part.len()), number == last))
}

fn run(beat_bytes: u32, limits: Limits, seed: u64) {
    let config = Memory {
        ring: Ring { lines: LINES },
        queue: 4,
        flight: 1,
        ..Memory::default()
    };
    let mut random = Random::new(seed);
    let packets: Vec<Vec<u8>> = (0..60)
        .map(|_| {
            (0..14 + random.below(600))
                .map(|_| random.next() as u8)
                .collect()
        })
        .collect();
    let mut run = Run {
        bench: Bench::new(&whole(beat_bytes, &config)),
        random,
        limits,
        memory: PacketMemory::new(limits),
        length: 0,
        place: (0, 0),
        loads: VecDeque::new(),
    };
    for (name, value) in [
        ("running", 1),
        ("headroom_lines", u64::from(limits.headroom / 64)),
        ("job_front_lines", u64::from(limits.headroom / 64)),
        ("tail", limits.tail.into()),
        ("shortest", 14),
        ("longest", 1500),
        ("s_axis_tuser", 0),
    ] {
        run.bench.set(name, value);
    }
    let mut coming: VecDeque<_> = packets
        .iter()
        .flat_map(|it| beats(it, beat_bytes as usize))
        .collect();
    let mut inside = packets.iter();
    let (mut leaving, mut out) = (VecDeque::new(), Vec::new());
    let (mut thread, mut done, mut clocks) = (Thread::Idle, 0, 0);
    while done < packets.len() {
        run.bench.set("s_axis_tvalid", (!coming.is_empty()).into());
        if let Some((bytes, keep, last)) = coming.front() {
            run.bench.set_bytes("s_axis_tdata", bytes);
            run.bench.set("s_axis_tkeep", *keep);
            run.bench.set("s_axis_tlast", (*last).into());
        }
        run.bench
            .set("wants", matches!(thread, Thread::Idle).into());
        run.bench
            .set("front_comes", matches!(thread, Thread::Fronts(_)).into());
        run.bench
            .set("job_valid", matches!(thread, Thread::Leaves(_)).into());
        let ready = run.random.below(4) > 0;
        run.bench.set("m_axis_tready", ready.into());
        let room = run.bench.get("room") == 1;
        let stores = matches!(thread, Thread::Stores(_)) && room;
        run.stores(stores);
        let waits = matches!(thread, Thread::Waits(left) if left < READ_LATER + 8);
        run.load(waits);
        run.bench.step();
        run.loaded();
        clocks += 1;
        assert!(clocks < 100_000, "it hangs");
        if run.bench.get("s_axis_tready") == 1 {
            coming.pop_front();
        }
        thread = match thread {
            Thread::Idle if run.bench.get("descriptor_valid") == 1 => {
                let packet = inside.next().expect("a packet came");
                run.memory.load(packet);
                run.length = packet.len() as i64;
                run.place = (
                    run.bench.get("packet_line") as i64,
                    run.bench.get("packet_lines"),
                );
                assert_eq!(run.bench.get("packet_length"), packet.len() as u64);
                Thread::Stores(1 + run.random.below(20) as u32)
            }
            Thread::Stores(0) => Thread::Waits(config.most_store_clocks() + READ_LATER + 8),
            Thread::Stores(left) => Thread::Stores(left - u32::from(stores)),
            Thread::Waits(0) => Thread::Fronts(run.job()),
            Thread::Fronts(bytes) => Thread::Leaves(bytes),
            Thread::Waits(left) => Thread::Waits(left - 1),
            Thread::Leaves(bytes) if run.bench.get("job_ready") == 1 => {
                leaving.push_back(bytes);
                Thread::Idle
            }
            thread => thread,
        };
        if ready && run.bench.get("m_axis_tvalid") == 1 {
            let count = run.bench.get("m_axis_tkeep").count_ones() as usize;
            out.extend(&run.bench.get_bytes("m_axis_tdata")[..count]);
            if run.bench.get("m_axis_tlast") == 1 {
                let bytes = std::mem::take(&mut out);
                assert_eq!(Some(bytes), leaving.pop_front(), "packet {done}");
                done += 1;
            }
        }
    }
}

#[test]
fn packets_leave_as_the_program_ir_means() {
    for (seed, beat_bytes) in [8, 32, 64, 64].into_iter().enumerate() {
        for (headroom, tail) in [(0, 0), (256, 0), (256, 1024), (64, 100)] {
            let limits = Limits {
                headroom,
                tail,
                ..Limits::default()
            };
            run(beat_bytes, limits, 10 + seed as u64);
        }
    }
}
