//! The top module: entrance, frame FIFO, compute pipeline, result FIFO, exit and host port, wired.

mod broadcast;
mod ends;
mod exit;
mod host;
mod slot;

use crate::lower::{identifier, Compute};
use crate::sizes::slots;
use crate::slot::{ProgramIn, ProgramOut};
use hardpath_blocks::axi::{
    FateOut, LiteIn, LiteOut, SidebandIn, StreamIn, StreamOut, TopIn, USER_IN_BITS,
};
use hardpath_blocks::cut_through::Ahead;
use hardpath_blocks::host::MapAnswer;
use hardpath_blocks::ingress::{ingress, Ingress, IngressIn, IngressOut, LENGTH_BITS};
use hardpath_blocks::interface::{Interface, Journal, JournalOut, MapPort, Storage};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_ir::{Input, MapId, OwnInput, Program, Terminator};
use hardpath_packet::{bits_text, Output, COUNTED_BITS};
use hardpath_registers::Map;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, MemStyle, Module, Node};

/// Clocks of the entrance and the exit around the compute stages, for a packet of one beat in an idle design.
pub const CLOCKS_AROUND: u32 = 5;

/// What the top must know beside its program.
pub struct Around<'a> {
    /// What the names of all modules begin with.
    pub prefix: &'a str,
    /// Width of the packet streams, one of `hardpath_blocks::interface::BUS_BITS`.
    pub bus_bits: u32,
    /// The number of packets that may be inside, a power of two.
    pub credits: u32,
    /// What the register DESIGN_ID reads.
    pub design_id: u32,
    /// Packets enter the program with so many bytes before all of them is in; `None`: when they are in.
    pub ahead: Option<u32>,
    /// Inputs of the family's LUTs.
    pub lut_inputs: u32,
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
    /// Out of a design.
    struct TopOut {
        s_axis_tready: one "",
        stream: all StreamOut,
        fate: all FateOut,
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
    ahead: Option<u32>,
    lut_inputs: u32,
    has: Has,
    m: Module,
}

/// What a design has because its program asks for it.
#[derive(Clone, Copy)]
struct Has {
    time: bool,
    random: bool,
    sum: bool,
    egress: bool,
    /// Inputs of the program's own.
    own: bool,
    interface: bool,
    queue: bool,
    /// The port table.
    port: bool,
    maps: bool,
    matched: bool,
    /// Packets that are broadcast.
    repeats: bool,
    /// How many further copies a packet may have.
    copies: usize,
    /// The exit can move packets.
    moves: bool,
}

impl Has {
    fn of(program: &Program, compute: &Compute) -> Has {
        let asks = |input: Input| compute.inputs.contains(&input);
        let (interface, queue) = (asks(Input::Ingress), asks(Input::Queue));
        let repeats = !broadcast_tables(program).is_empty();
        Has {
            time: asks(Input::Time),
            random: asks(Input::Random),
            sum: asks(Input::Sum),
            egress: asks(Input::Egress),
            own: (compute.inputs.iter()).any(|input| matches!(input, Input::Own { .. })),
            interface,
            queue,
            port: interface || queue || repeats,
            maps: !program.maps.is_empty(),
            matched: program.maps.values().any(|map| map.is_matched()),
            repeats,
            copies: copies(program),
            moves: compute.moved.is_some(),
        }
    }

    /// Something must be made ready for a map operation before its slot comes.
    fn prepares(&self) -> bool {
        self.matched || self.repeats
    }

    /// The exit reads another frame than the first one that is still needed.
    fn frame_address(&self) -> bool {
        self.moves || self.repeats || self.copies > 0
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
    fate_valid: Node,
    /// What the packet is counted as.
    counted: Node,
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
            ahead,
            lut_inputs,
        } = *around;
        let has = Has::of(program, &compute);
        let doc = format!(
            "Program {} in hardware: AXI4-Stream in and out, {bus_bits} bits wide, AXI4-Lite for the host.\n\
             It behaves as if packets were processed one at a time, in the order of their arrival.\n\
             One clock, synchronous reset; reset is followed by a sweep that clears all maps.\n\
             \n\
             Streams: byte 0 in bits 7:0; tkeep is all ones but on the last beat, where it is packed from bit 0.\n\
             s_axis_tuser: bit 0 the frame is bad (last beat), bits 8:1 ingress port, bits 24:9 queue{} (first beat).\n\
             m_axis_tdest: bits 33:32 class (0 same port, 1 a port, 2 a host queue), bits 31:0 number of port or queue.\n\
             m_axis_tuser: {}.\n\
             fate_valid, fate: one strobe for each packet, in order, those that go nowhere included; {}.",
            program.name,
            own_places(program),
            places(program, highest_of_user(&has, ahead)),
            places(program, Some("sent: it comes out")),
        );
        Top {
            design,
            compute,
            program,
            prefix,
            bus_bits,
            credits,
            design_id,
            ahead,
            lut_inputs,
            has,
            m: Module::new(identifier(prefix), doc),
        }
    }

    fn beat_bytes(&self) -> u32 {
        self.bus_bits / 8
    }

    /// Words of the frame FIFO: the longest packet, and as much again as can be in flight in small ones.
    fn frame_depth(&self) -> u32 {
        let longest = self.program.limits.longest.div_ceil(self.beat_bytes());
        (longest + self.credits + 16).next_power_of_two()
    }

    fn build(mut self, block: Block<ProgramIn, ProgramOut>) -> Interface {
        let has = self.has;
        let inputs = self.m.inputs(TopIn {
            stream: StreamIn::of_beats(self.beat_bytes(), OwnInput::bits(&self.program.inputs)),
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
        let ends = self.ends(&entrance);
        let came = slot
            .ingress
            .map(|interface| (entrance.packet_valid, interface));
        let exit = self.exit(
            (results, ends),
            lists.zip(came),
            &frames,
            inputs.m_axis_tready,
            &loops,
        );
        let outputs = TopOut {
            s_axis_tready: entrance.s_axis_tready,
            stream: exit.stream,
            fate: exit.fate,
            lite: host.lite,
            lru: slot.out.lru,
            carried: slot.out.carried,
        };
        debug_assert_eq!(self.m.width(entrance.packet_length), LENGTH_BITS);
        self.m.outputs(outputs);
        let ahead = config.ahead.map(|ahead| ahead.beats * config.beat_bytes);
        let interface = self.interface(ahead);
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
            fate_valid: self.m.wire(1, "strobe_valid"),
            counted: self.m.wire(COUNTED_BITS, "strobe_counted"),
            answer: self.answer_wires(),
            map_prepared: self.has.prepares().then(|| self.m.wire(1, "map_prepared")),
        }
    }

    fn ingress(&self) -> Ingress {
        let beat = self.beat_bytes();
        let moved = self.compute.moved.as_ref();
        let window_beats = self.compute.window_bytes.div_ceil(beat).max(1);
        let ahead = self.ahead.map(|bytes| {
            let most = self.program.limits.longest.div_ceil(beat).max(1);
            let beats = bytes.div_ceil(beat).max(window_beats).min(most);
            Ahead { beats }
        });
        Ingress {
            name: format!("{}_ingress", self.prefix),
            beat_bytes: beat,
            window_beats,
            frame_depth: self.frame_depth(),
            credits: self.credits,
            shortest: self.program.limits.shortest,
            longest: self.program.limits.longest,
            has_time: self.has.time,
            has_random: self.has.random,
            has_sum: self.has.sum,
            has_egress: self.has.egress,
            has_port: self.has.port,
            own_bits: OwnInput::bits(&self.program.inputs),
            has_own: self.has.own,
            tells_flight: self.has.repeats,
            clears_window: moved.is_some_and(|moved| moved.grows),
            ahead,
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
    fn interface(&mut self, ahead_bytes: Option<u32>) -> Interface {
        let mut maps = Vec::new();
        let storage = std::mem::take(&mut self.compute.storage);
        let stored = std::mem::take(&mut self.compute.stored);
        let maps_there = self.program.maps.iter();
        for (((map, decl), storage), stored) in maps_there.zip(storage).zip(stored) {
            let journal = self.compute.journals.get(&map).cloned();
            maps.push(map_port((map, decl), stored, journal, storage));
        }
        let limits = self.program.limits;
        Interface {
            top: self.m.name.clone(),
            bus_bits: self.bus_bits,
            lengths: (limits.shortest, limits.longest),
            inputs: self.program.inputs.clone(),
            outputs: self.program.outputs.clone(),
            has_time: self.has.time,
            has_random: self.has.random,
            has_egress: self.has.egress,
            has_port_table: self.has.port,
            repeats: self.has.repeats || self.has.copies > 0,
            ahead_bytes,
            maps,
            design_id: self.design_id,
            program: Vec::new(),
        }
    }
}

/// The tables that packets are broadcast to, in the order of the emit.
fn broadcast_tables(program: &Program) -> Vec<MapId> {
    match &program.blocks[program.region()].terminator {
        Terminator::Emit(emit) => emit.each.iter().map(|each| each.table).collect(),
        _ => Vec::new(),
    }
}

/// How many further copies a packet may have.
fn copies(program: &Program) -> usize {
    match &program.blocks[program.region()].terminator {
        Terminator::Emit(emit) => emit.copies.len(),
        _ => 0,
    }
}

/// What the highest bit of `m_axis_tuser` is, above the outputs.
fn highest_of_user(has: &Has, ahead: Option<u32>) -> Option<&'static str> {
    match (has.repeats || has.copies > 0, ahead) {
        (true, _) => Some("again: a further copy comes behind this one"),
        (false, Some(_)) => Some("bad: the frame was found bad (last beat)"),
        (false, None) => None,
    }
}

/// Which bits of `s_axis_tuser` are which input of the program's own, behind the others.
fn own_places(program: &Program) -> String {
    let inputs = OwnInput::places(&program.inputs);
    let place = |(lo, input): (u32, &OwnInput)| {
        let bits = bits_text(lo + USER_IN_BITS, input.width);
        format!(", {bits} {}", input.name)
    };
    inputs.map(place).collect()
}

/// Which bits of a port are which output: `bits 2:0 verdict, bit 3 sent: it comes out`. `highest`: what the bit above them is.
fn places(program: &Program, highest: Option<&str>) -> String {
    let place = |(lo, output): (u32, &Output)| {
        let bits = bits_text(lo, output.width);
        format!("{bits} {}", output.name)
    };
    let mut parts: Vec<String> = Output::places(&program.outputs).map(place).collect();
    let above = program.outputs.iter().map(|output| output.width).sum();
    parts.extend(highest.map(|name| format!("{} {name}", bits_text(above, 1))));
    match parts.is_empty() {
        true => "zero".into(),
        false => parts.join(", "),
    }
}

fn map_port(
    (map, decl): (hardpath_ir::MapId, &hardpath_ir::MapDecl),
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
            slots: slots(decl),
            select: map.as_u32(),
        },
        journal,
        storage: storage.map(|storage| storage.inside(slot::PIPELINE)),
        room: None,
    }
}
