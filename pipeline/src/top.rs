//! The top module: entrance, frame FIFO, compute pipeline, result FIFO, exit and host port, wired.

mod broadcast;
mod exit;
mod host;
mod slot;

use crate::lower::{identifier, Compute};
use crate::moves::PacketMoves;
use crate::slot::{ProgramIn, ProgramOut};
use hardpath_blocks::axi::{LiteIn, LiteOut, SidebandIn, StreamIn, StreamOut, VerdictOut};
use hardpath_blocks::hash::Hash;
use hardpath_blocks::host::MapAnswer;
use hardpath_blocks::ingress::{ingress, Ingress, IngressIn, IngressOut, LENGTH_BITS};
use hardpath_blocks::interface::{Interface, Journal, JournalOut, MapPort, Storage};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_ir::{Input, Kind, Program, MAX_PACKET_BYTES, MIN_PACKET_BYTES};
use hardpath_registers::Map;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, MemStyle, Module, Node};

/// Clocks of the entrance and the exit around the compute stages, for a packet of one beat in an idle design.
pub const CLOCKS_AROUND: u32 = 5;

/// What the top must know beside its program.
pub struct Around<'a> {
    /// What the names of all modules begin with.
    pub prefix: &'a str,
    pub bus_bits: u32,
    pub credits: u32,
    pub design_id: u32,
}

/// Adds the top to the design, with the program in its slot.
pub fn top(
    design: &mut Design,
    (block, compute): (Block<ProgramIn, ProgramOut>, Compute),
    program: &Program,
    around: &Around,
) -> Interface {
    Top::new(design, compute, program, around).build(block)
}

signals! {
    /// Into a design.
    struct TopIn {
        stream: all StreamIn,
        sideband: all SidebandIn,
        m_axis_tready: one "",
        lite: all LiteIn,
    }
}

signals! {
    /// Out of a design.
    struct TopOut {
        s_axis_tready: one "",
        stream: all StreamOut,
        verdict: all VerdictOut,
        lite: all LiteOut,
        /// The journals of LRU maps, by name.
        lru: labelled JournalOut,
        /// Only without pruning.
        carried: maybe "all that the pipeline carries to its end, so that tools leave it there",
    }
}

struct Top<'a> {
    design: &'a mut Design,
    compute: Compute,
    program: &'a Program,
    prefix: &'a str,
    bus_bits: u32,
    credits: u32,
    design_id: u32,
    has: Has,
    m: Module,
}

/// What a design has because its program asks for it.
#[derive(Clone, Copy)]
struct Has {
    time: bool,
    random: bool,
    egress: bool,
    ifindex: bool,
    queue: bool,
    /// The port table.
    port: bool,
    maps: bool,
    matched: bool,
    /// Packets that are sent several times.
    repeats: bool,
    /// The exit can move packets.
    moves: bool,
}

impl Has {
    fn of(program: &Program, compute: &Compute) -> Has {
        let asks = |input: Input| compute.inputs.contains(&input);
        let (ifindex, queue) = (asks(Input::IngressIfindex), asks(Input::RxQueueIndex));
        let broadcasts = program.maps.values().any(|map| map.broadcast);
        let repeats = broadcasts && compute.has_destination;
        Has {
            time: asks(Input::TimeNs),
            random: asks(Input::Random),
            egress: asks(Input::EgressIfindex),
            ifindex,
            queue,
            port: ifindex || queue || repeats,
            maps: !program.maps.is_empty(),
            matched: program.maps.values().any(|map| map.is_matched()),
            repeats,
            moves: compute.moved.is_some(),
        }
    }

    /// Something must be made ready for a map operation before its slot comes.
    fn prepares(&self) -> bool {
        self.matched || self.repeats
    }

    /// The exit reads another frame than the first one that is still needed.
    fn frame_address(&self) -> bool {
        self.moves || self.repeats
    }
}

/// Signals that close loops between instances: wires, driven when all are there.
struct Loops {
    /// To the entrance.
    hold: Node,
    running: Node,
    packet_left: Node,
    frame_read_pointer: Node,
    /// To the host port.
    verdict_valid: Node,
    verdict: Node,
    /// Zeros where there are no maps.
    answer: MapAnswer,
    map_prepared: Option<Node>,
}

/// The frame FIFO's read side, as far as the exit drives it.
struct Frames {
    data: Node,
    read: Node,
    /// `None`: the read pointer.
    address: Option<Node>,
}

impl<'a> Top<'a> {
    fn new(
        design: &'a mut Design,
        compute: Compute,
        program: &'a Program,
        around: &Around<'a>,
    ) -> Top<'a> {
        let Around {
            prefix,
            bus_bits,
            credits,
            design_id,
        } = *around;
        let has_metadata = |moved: &PacketMoves| moved.moves.has_metadata();
        let metadata = match compute.moved.as_ref().is_some_and(has_metadata) {
            true => " in bits 2:0, words of metadata in front of the packet in bits 8:3",
            false => "",
        };
        let has = Has::of(program, &compute);
        let again = match has.repeats {
            true => "\nThe highest bit of m_axis_tuser: a packet that is broadcast comes once more behind this copy.",
            false => "",
        };
        let doc = format!(
            "XDP program {} in hardware: AXI4-Stream in and out, {bus_bits} bits wide, AXI4-Lite for the host.\n\
             It behaves as if packets were processed one at a time, in the order of their arrival, as the Linux\n\
             kernel runs the program. One clock, synchronous reset; reset is followed by a sweep that clears all maps.\n\
             \n\
             Streams: byte 0 in bits 7:0; tkeep is all ones but on the last beat, where it is packed from bit 0.\n\
             s_axis_tuser: bit 0 the frame is bad (last beat), bits 8:1 ingress port, bits 24:9 queue (first beat).\n\
             m_axis_tuser: the verdict (enum xdp_action){metadata}; m_axis_tdest: ifindex of a redirect.\n\
             verdict_valid, verdict: one strobe for each packet, in order, dropped ones included.{again}",
            program.name
        );
        Top {
            design,
            compute,
            program,
            prefix,
            bus_bits,
            credits,
            design_id,
            has,
            m: Module::new(identifier(prefix), doc),
        }
    }

    fn raw(&self) -> bool {
        self.program.kind == Kind::Raw
    }

    fn beat_bytes(&self) -> u32 {
        self.bus_bits / 8
    }

    /// Words of the frame FIFO: the longest packet, and as much again as can be in flight in small ones.
    fn frame_depth(&self) -> u32 {
        let longest = MAX_PACKET_BYTES.div_ceil(self.beat_bytes());
        (longest + self.credits + 16).next_power_of_two()
    }

    fn build(mut self, block: Block<ProgramIn, ProgramOut>) -> Interface {
        let has = self.has;
        let inputs = self.m.inputs(TopIn {
            stream: StreamIn::of_beats(self.beat_bytes()),
            sideband: SidebandIn::of(has.time, has.random, has.egress),
            m_axis_tready: 1,
            lite: LiteIn::of_words(),
        });
        let config = self.ingress();
        let loops = self.loops(config.frame_bits());
        let entrance = self.entrance(&config, &inputs, &loops);
        let frames = self.frames(&config, &entrance, &loops);
        let host = self.host_port(&inputs, &entrance, &loops);
        let lists = has
            .repeats
            .then(|| self.device_lists(&host, &entrance, &loops));
        let hold = match &lists {
            Some(lists) => self.m.or(&[host.hold, lists.hold]),
            None => host.hold,
        };
        self.m.drive(loops.hold, hold);
        self.m.drive(loops.running, host.running);
        let slot = self.slot(block, &entrance, &host);
        self.answer_host(&slot, lists.as_ref().map(|lists| lists.prepared), &loops);
        let results = self.results(&slot);
        let came = slot
            .ingress_ifindex
            .map(|ifindex| (entrance.packet_valid, ifindex));
        let exit = self.exit(
            results,
            lists.zip(came),
            &frames,
            inputs.m_axis_tready,
            &loops,
        );
        let outputs = TopOut {
            s_axis_tready: entrance.s_axis_tready,
            stream: exit.stream,
            verdict: exit.verdict,
            lite: host.lite,
            lru: slot.out.lru,
            carried: slot.out.carried,
        };
        debug_assert_eq!(self.m.width(entrance.packet_length), LENGTH_BITS);
        self.m.outputs(outputs);
        let interface = self.interface();
        self.design.add(self.m);
        interface
    }

    fn loops(&mut self, frame_bits: u32) -> Loops {
        let hold = self.m.wire(1, "hold");
        let running = self.m.wire(1, "running");
        let packet_left = self.m.wire(1, "packet_left");
        let frame_read_pointer = self.m.wire(frame_bits, "frame_read_pointer");
        Loops {
            hold,
            running,
            packet_left,
            frame_read_pointer,
            verdict_valid: self.m.wire(1, "strobe_valid"),
            verdict: self.m.wire(3, "strobe_verdict"),
            answer: self.answer_wires(),
            map_prepared: self.has.prepares().then(|| self.m.wire(1, "map_prepared")),
        }
    }

    fn ingress(&self) -> Ingress {
        let beat = self.beat_bytes();
        let moved = self.compute.moved.as_ref();
        Ingress {
            name: format!("{}_ingress", self.prefix),
            beat_bytes: beat,
            window_beats: self.compute.window_bytes.div_ceil(beat).max(1),
            frame_depth: self.frame_depth(),
            credits: self.credits,
            shortest: if self.raw() { 0 } else { MIN_PACKET_BYTES },
            longest: MAX_PACKET_BYTES,
            has_time: self.has.time,
            has_random: self.has.random,
            has_egress: self.has.egress,
            has_port: self.has.port,
            tells_flight: self.has.repeats,
            clears_window: moved.is_some_and(|moved| moved.moves.grows),
        }
    }

    fn entrance(&mut self, config: &Ingress, inputs: &TopIn, loops: &Loops) -> IngressOut {
        self.m.section("Entrance");
        let inputs = IngressIn {
            stream: inputs.stream.clone(),
            sideband: inputs.sideband.clone(),
            hold: loops.hold,
            running: loops.running,
            packet_left: loops.packet_left,
            frame_read_pointer: loops.frame_read_pointer,
        };
        let block = ingress(config);
        block.place(self.design, &mut self.m, "ingress", inputs).out
    }

    fn frames(&mut self, config: &Ingress, entrance: &IngressOut, loops: &Loops) -> Frames {
        let m = &mut self.m;
        m.section("Frame FIFO: whole packets wait here while the program computes");
        let write = &entrance.frame;
        let frames = m.mem("frames", self.bus_bits, config.frame_depth, MemStyle::Block);
        m.mem_write(
            frames,
            write.frame_write_address,
            write.frame_write_data,
            write.frame_write,
        );
        let read = m.wire(1, "frame_read");
        let has_address = self.has.frame_address();
        let address = has_address.then(|| m.wire(config.frame_bits(), "frame_read_address"));
        let place = address.unwrap_or(loops.frame_read_pointer);
        let data = m.mem_read_sync(frames, place, read);
        m.name(data, "frame");
        Frames {
            data,
            read,
            address,
        }
    }

    /// What a test bench or driver must know, when all is placed.
    fn interface(&mut self) -> Interface {
        let mut maps = Vec::new();
        let storage = std::mem::take(&mut self.compute.storage);
        let stored = std::mem::take(&mut self.compute.stored);
        let maps_there = self.program.maps.iter();
        for (((map, decl), storage), stored) in maps_there.zip(storage).zip(stored) {
            let journal = self.compute.journals.get(&map).cloned();
            maps.push(map_port(decl, stored, journal, storage));
        }
        let moved = self.compute.moved.as_ref();
        Interface {
            top: self.m.name.clone(),
            bus_bits: self.bus_bits,
            raw: self.raw(),
            has_time: self.has.time,
            has_random: self.has.random,
            has_egress: self.has.egress,
            has_port_table: self.has.port,
            has_metadata: moved.is_some_and(|moved| moved.moves.has_metadata()),
            repeats: self.has.repeats,
            maps,
            design_id: self.design_id,
        }
    }
}

fn map_port(
    decl: &hardpath_ir::MapDecl,
    stored: KeyBits,
    journal: Option<Journal>,
    storage: Option<Storage>,
) -> MapPort {
    MapPort {
        map: Map {
            name: decl.name.clone(),
            kind: decl.outside.clone(),
            key_bytes: decl.entry_key_bytes(),
            stored: match decl.is_ternary() {
                true => KeyBits::all_vary(decl.entry_key_bytes()),
                false => stored,
            },
            value_bytes: decl.value_bytes,
            max_entries: decl.max_entries,
            slots: match decl.is_exact() {
                true => Hash::entries(decl.max_entries),
                false => decl.max_entries,
            },
        },
        journal,
        storage: storage.map(|storage| storage.inside(slot::PIPELINE)),
    }
}
