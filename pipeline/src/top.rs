//! The top module: entrance, frame FIFO, compute pipeline, result FIFO, exit and host port, wired.

mod broadcast;

use crate::lower::{identifier, Compute, CARRIED, CARRIED_DOC};
use crate::maps::{clear_words, host_widths};
use crate::moves::PacketMoves;
use hardpath_blocks::egress::{egress, offset_name, Egress};
use hardpath_blocks::errno::ERRNO_BITS;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::hash::Hash;
use hardpath_blocks::host::{host, Host};
use hardpath_blocks::index_bits;
use hardpath_blocks::ingress::{ingress, Ingress, LENGTH_BITS};
use hardpath_blocks::interface::{Interface, Journal, MapPort, Storage, JOURNAL_SIGNALS};
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_ir::{Input, Kind, Program, MAX_PACKET_BYTES, MIN_PACKET_BYTES};
use hardpath_rtl::{Design, Instance, MemStyle, Module, ModuleId, Node};

/// Clocks of the entrance and the exit around the compute stages, for a packet of one beat in an idle design.
pub const CLOCKS_AROUND: u32 = 5;

/// Adds the top to the design.
pub fn top(
    design: &mut Design,
    compute: Compute,
    program: &Program,
    prefix: &str,
    bus_bits: u32,
    credits: u32,
    design_id: u32,
) -> Interface {
    Top::new(
        design, compute, program, prefix, bus_bits, credits, design_id,
    )
    .build()
}

struct Top<'a> {
    design: &'a mut Design,
    compute: Compute,
    program: &'a Program,
    prefix: &'a str,
    bus_bits: u32,
    credits: u32,
    design_id: u32,
    m: Module,
}

/// An instance with its module.
#[derive(Clone, Copy)]
struct Placed {
    module: ModuleId,
    instance: Instance,
}

impl<'a> Top<'a> {
    fn new(
        design: &'a mut Design,
        compute: Compute,
        program: &'a Program,
        prefix: &'a str,
        bus_bits: u32,
        credits: u32,
        design_id: u32,
    ) -> Top<'a> {
        let has_metadata = |moved: &PacketMoves| moved.moves.has_metadata();
        let metadata = match compute.moved.as_ref().is_some_and(has_metadata) {
            true => " in bits 2:0, words of metadata in front of the packet in bits 8:3",
            false => "",
        };
        let broadcasts = program.maps.values().any(|map| map.broadcast);
        let again = match broadcasts && compute.has_destination {
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
            m: Module::new(identifier(prefix), doc),
        }
    }

    fn add(&mut self, module: Module, name: &str, inputs: &[(&str, Node)]) -> Placed {
        let id = self.design.add(module);
        self.place(id, name, inputs)
    }

    fn place(&mut self, id: ModuleId, name: &str, inputs: &[(&str, Node)]) -> Placed {
        let instance = self.m.instance(&self.design.modules[id], id, name, inputs);
        Placed {
            module: id,
            instance,
        }
    }

    fn get(&mut self, placed: Placed, port: &str) -> Node {
        let node =
            self.m
                .instance_output(&self.design.modules[placed.module], placed.instance, port);
        let name = format!("{}_{port}", self.m.instances[placed.instance].name);
        self.m.name(node, name)
    }

    fn build(mut self) -> Interface {
        let raw = self.program.kind == Kind::Raw;
        let moved = self.compute.moved.as_ref();
        let moves = moved.map(|moved| moved.moves.clone());
        let beat = self.bus_bits / 8;
        let has_time = self.compute.inputs.contains(&Input::TimeNs);
        let has_random = self.compute.inputs.contains(&Input::Random);
        let has_egress = self.compute.inputs.contains(&Input::EgressIfindex);
        let has_ifindex = self.compute.inputs.contains(&Input::IngressIfindex);
        let has_queue = self.compute.inputs.contains(&Input::RxQueueIndex);
        let repeats = !self.broadcast_maps().is_empty();
        let has_port = has_ifindex || has_queue || repeats;
        let has_maps = !self.program.maps.is_empty();
        let window_beats = self.compute.window_bytes.div_ceil(beat).max(1);
        // The longest packet, and as much again as can be in flight in small ones.
        let frame_depth = (MAX_PACKET_BYTES.div_ceil(beat) + self.credits + 16).next_power_of_two();
        let frame_bits = index_bits(u64::from(frame_depth));

        let m = &mut self.m;
        let tdata = m.input("s_axis_tdata", self.bus_bits, "packets in");
        let tkeep = m.input("s_axis_tkeep", beat, "");
        let tvalid = m.input("s_axis_tvalid", 1, "");
        let tlast = m.input("s_axis_tlast", 1, "");
        let tuser = m.input("s_axis_tuser", 25, "bad frame, port, queue");
        let time =
            has_time.then(|| m.input("time_ns", 64, "the time, taken on a packet's first beat"));
        let random = has_random.then(|| {
            m.input(
                "random",
                32,
                "a random number, taken on a packet's first beat",
            )
        });
        let egress_ifindex = has_egress.then(|| {
            m.input(
                "egress_ifindex",
                32,
                "the interface that a packet is about to leave by, taken on its first beat",
            )
        });
        let tready = m.input("m_axis_tready", 1, "");
        let awaddr = m.input("s_axil_awaddr", 16, "host port");
        let awvalid = m.input("s_axil_awvalid", 1, "");
        let wdata = m.input("s_axil_wdata", 32, "");
        let wstrb = m.input("s_axil_wstrb", 4, "");
        let wvalid = m.input("s_axil_wvalid", 1, "");
        let bready = m.input("s_axil_bready", 1, "");
        let araddr = m.input("s_axil_araddr", 16, "");
        let arvalid = m.input("s_axil_arvalid", 1, "");
        let rready = m.input("s_axil_rready", 1, "");

        // Signals that close loops between instances.
        let hold = m.wire(1, "hold");
        let running = m.wire(1, "running");
        let packet_left = m.wire(1, "packet_left");
        let read_pointer = m.wire(frame_bits, "frame_read_pointer");

        m.section("Entrance");
        let mut inputs = vec![
            ("s_axis_tdata", tdata),
            ("s_axis_tkeep", tkeep),
            ("s_axis_tvalid", tvalid),
            ("s_axis_tlast", tlast),
            ("s_axis_tuser", tuser),
            ("hold", hold),
            ("running", running),
            ("packet_left", packet_left),
            ("frame_read_pointer", read_pointer),
        ];
        if let Some(time) = time {
            inputs.push(("time_ns", time));
        }
        if let Some(random) = random {
            inputs.push(("random", random));
        }
        if let Some(egress_ifindex) = egress_ifindex {
            inputs.push(("egress_ifindex", egress_ifindex));
        }
        let config = Ingress {
            name: format!("{}_ingress", self.prefix),
            beat_bytes: beat,
            window_beats,
            frame_depth,
            credits: self.credits,
            shortest: if raw { 0 } else { MIN_PACKET_BYTES },
            longest: MAX_PACKET_BYTES,
            has_time,
            has_random,
            has_egress,
            has_port,
            tells_flight: repeats,
            clears_window: moves.as_ref().is_some_and(|moves| moves.grows),
        };
        let entrance = self.add(ingress(&config), "ingress", &inputs);
        let s_ready = self.get(entrance, "s_axis_tready");
        let packet_valid = self.get(entrance, "packet_valid");
        let window = self.get(entrance, "window");
        let length = self.get(entrance, "packet_length");
        let dropped_bad = self.get(entrance, "dropped_bad");
        let dropped_length = self.get(entrance, "dropped_length");

        self.m
            .section("Frame FIFO: whole packets wait here while the program computes");
        let write = self.get(entrance, "frame_write");
        let write_address = self.get(entrance, "frame_write_address");
        let write_data = self.get(entrance, "frame_write_data");
        let frames = self
            .m
            .mem("frames", self.bus_bits, frame_depth, MemStyle::Block);
        self.m.mem_write(frames, write_address, write_data, write);
        let frame_read = self.m.wire(1, "frame_read");
        let has_address = moves.is_some() || repeats;
        let read_address = match has_address {
            true => self.m.wire(frame_bits, "frame_read_address"),
            false => read_pointer,
        };
        let frame = self.m.mem_read_sync(frames, read_address, frame_read);
        self.m.name(frame, "frame");

        self.m.section("Host port");
        let strobe_valid = self.m.wire(1, "strobe_valid");
        let strobe_verdict = self.m.wire(3, "strobe_verdict");
        let (key_bits, value_bits) = host_widths(self.program);
        let (map_done, map_errno, map_value, map_key) = if has_maps {
            (
                self.m.wire(1, "map_done"),
                self.m.wire(ERRNO_BITS, "map_errno"),
                self.m.wire(value_bits, "map_value"),
                self.m.wire(key_bits, "map_key"),
            )
        } else {
            (
                self.m.zero(1),
                self.m.zero(5),
                self.m.zero(value_bits),
                self.m.zero(key_bits),
            )
        };
        let mut inputs = vec![
            ("s_axil_awaddr", awaddr),
            ("s_axil_awvalid", awvalid),
            ("s_axil_wdata", wdata),
            ("s_axil_wstrb", wstrb),
            ("s_axil_wvalid", wvalid),
            ("s_axil_bready", bready),
            ("s_axil_araddr", araddr),
            ("s_axil_arvalid", arvalid),
            ("s_axil_rready", rready),
            ("packet_in", packet_valid),
            ("dropped_bad", dropped_bad),
            ("dropped_length", dropped_length),
            ("verdict_valid", strobe_valid),
            ("verdict", strobe_verdict),
            ("map_done", map_done),
            ("map_errno", map_errno),
            ("map_value", map_value),
            ("map_key", map_key),
        ];
        let has_tries = self.program.maps.values().any(|map| map.kind.is_trie());
        let prepares = has_tries || repeats;
        let prepared = prepares.then(|| self.m.wire(1, "map_prepared"));
        if let Some(prepared) = prepared {
            inputs.push(("map_prepared", prepared));
        }
        let early_port = has_port.then(|| self.get(entrance, "early_port"));
        if let Some(port) = early_port {
            inputs.push(("early_port", port));
        }
        let config = Host {
            name: format!("{}_host", self.prefix),
            design_id: self.design_id,
            maps: self.program.maps.len() as u32,
            key_bits,
            value_bits,
            has_port_table: has_port,
            prepares,
            clear_words: clear_words(self.program),
        };
        let host_port = self.add(host(&config), "host", &inputs);
        let lists = repeats
            .then(|| self.device_lists(host_port, entrance, packet_left, (map_done, map_errno)));
        let host_holds = self.get(host_port, "hold");
        let node = match &lists {
            Some(lists) => self.m.or(&[host_holds, lists.hold]),
            None => host_holds,
        };
        self.m.drive(hold, node);
        let node = self.get(host_port, "running");
        self.m.drive(running, node);

        self.m.section("Program");
        let packet = self.m.slice(window, 0, self.compute.window_bytes * 8);
        let mut inputs = vec![("packet_valid", packet_valid), ("packet", packet)];
        inputs.push(("packet_length", length));
        if has_time {
            inputs.push(("time_ns", self.get(entrance, "packet_time_ns")));
        }
        if has_random {
            inputs.push(("random", self.get(entrance, "packet_random")));
        }
        if has_egress {
            inputs.push((
                "egress_ifindex",
                self.get(entrance, "packet_egress_ifindex"),
            ));
        }
        let ingress = (has_ifindex || repeats).then(|| {
            let early = self.get(host_port, "port_ifindex");
            self.m.delay("ingress_ifindex", early)
        });
        if let (true, Some(ingress)) = (has_ifindex, ingress) {
            inputs.push(("ingress_ifindex", ingress));
        }
        if has_queue {
            let queue = self.get(entrance, "early_queue");
            let base = self.get(host_port, "port_queue");
            let sum = self.m.add(queue, base);
            let early = self.m.zext(sum, 32);
            inputs.push(("rx_queue_index", self.m.delay("rx_queue_index", early)));
        }
        if has_maps {
            for (port, from) in [
                ("host_inject", "inject"),
                ("map_select", "map_select"),
                ("host_command", "host_command"),
                ("host_flags", "host_flags"),
                ("host_slot", "host_slot"),
                ("host_index", "host_index"),
                ("host_key", "host_key"),
                ("host_value", "host_value"),
                ("clear", "clear"),
                ("clear_index", "clear_index"),
            ] {
                let node = self.get(host_port, from);
                inputs.push((port, node));
            }
        }
        if has_tries {
            inputs.push(("map_start", self.get(host_port, "map_start")));
        }
        let module = self.compute.module.clone();
        let program = self.add(module, PIPELINE, &inputs);
        if has_maps {
            for (wire, port) in [
                (map_done, "map_done"),
                (map_errno, "map_errno"),
                (map_value, "map_value"),
                (map_key, "map_key"),
            ] {
                let node = self.get(program, port);
                self.m.drive(wire, node);
            }
        }
        if let Some(prepared) = prepared {
            let tries = has_tries.then(|| self.get(program, "map_prepared"));
            let lists = lists.as_ref().map(|lists| lists.prepared);
            let all: Vec<Node> = tries.into_iter().chain(lists).collect();
            let node = self.m.and(&all);
            self.m.drive(prepared, node);
        }

        self.m
            .section("Result FIFO: results wait here for the exit; each has a credit");
        let mut fields = vec!["result_verdict".to_string()];
        match (moves.is_some(), raw) {
            (true, _) => fields.push("result_length".into()),
            (false, true) => fields.extend(["result_last_byte".into(), "result_empty".into()]),
            (false, false) => fields.push("result_last_byte".into()),
        }
        if self.compute.has_destination {
            fields.push("result_destination".into());
        }
        let ports = moves.iter().flat_map(|moves| moves.ports());
        fields.extend(ports.map(|(port, ..)| port.to_string()));
        for (offset, _) in &self.compute.overlays {
            let offset = offset_name(*offset);
            fields.push(format!("overlay_{offset}_enable"));
            fields.push(format!("overlay_{offset}_data"));
        }
        let mut parts = Vec::new();
        for field in &fields {
            parts.push(self.get(program, field));
        }
        let word = self.m.concat(&parts);
        let width = self.m.width(word);
        let push = self.get(program, "result_valid");
        let pop = self.m.wire(1, "result_pop");
        let results = fifo(&format!("{}_results", self.prefix), width, self.credits);
        let inputs = FifoIn {
            push,
            data_in: word,
            pop,
        };
        let results = results.place(self.design, &mut self.m, "results", inputs);
        let (result_valid, result) = (results.out.valid, results.out.data_out);

        let mut inputs = vec![
            ("result_valid".to_string(), result_valid),
            ("frame_read_data".to_string(), frame),
            ("m_axis_tready".to_string(), tready),
        ];
        let mut at = width;
        for (field, part) in fields.iter().zip(&parts) {
            let bits = self.m.width(*part);
            at -= bits;
            let node = self.m.slice(result, at, bits);
            inputs.push((field.clone(), node));
        }
        let exit_pop = self.m.wire(1, "exit_pop");
        let mut head_pop = exit_pop;
        if let (Some(lists), Some(ingress)) = (lists, ingress) {
            let given = |name: &str| {
                let found = inputs.iter().find(|(field, _)| field == name);
                found
                    .expect("a packet that is broadcast has a destination")
                    .1
            };
            let head = (
                result_valid,
                given("result_verdict"),
                given("result_destination"),
            );
            let repeated = self.repeat(lists, (packet_valid, ingress), head, exit_pop);
            for (field, node) in &mut inputs {
                match field.as_str() {
                    "result_valid" => *node = repeated.valid,
                    "result_destination" => *node = repeated.destination,
                    _ => {}
                }
            }
            inputs.push(("result_again".to_string(), repeated.again));
            inputs.push(("result_nobody".to_string(), repeated.nobody));
            head_pop = repeated.pop;
        }

        self.m.section("Exit");
        let inputs: Vec<(&str, Node)> = inputs
            .iter()
            .map(|(name, node)| (name.as_str(), *node))
            .collect();
        let config = Egress {
            name: format!("{}_egress", self.prefix),
            beat_bytes: beat,
            frame_depth,
            overlays: self.compute.overlays.clone(),
            verdict_bits: if raw { 64 } else { 3 },
            has_destination: self.compute.has_destination,
            repeats,
        };
        let exit = match &moves {
            None => egress(&config),
            Some(moves) => moved_egress(&config, moves),
        };
        let exit = self.add(exit, "egress", &inputs);
        let node = self.get(exit, "result_pop");
        self.m.drive(exit_pop, node);
        self.m.drive(pop, head_pop);
        self.m.drive(packet_left, head_pop);
        let node = self.get(exit, "frame_read_pointer");
        self.m.drive(read_pointer, node);
        if has_address {
            let node = self.get(exit, "frame_read_address");
            self.m.drive(read_address, node);
        }
        let node = self.get(exit, "frame_read");
        self.m.drive(frame_read, node);
        let verdict_valid = self.get(exit, "verdict_valid");
        let verdict = self.get(exit, "verdict");
        self.m.drive(strobe_valid, verdict_valid);
        self.m.drive(strobe_verdict, verdict);

        self.m.output("s_axis_tready", s_ready, "");
        for (port, doc) in [
            ("m_axis_tdata", "packets out"),
            ("m_axis_tkeep", ""),
            ("m_axis_tvalid", ""),
            ("m_axis_tlast", ""),
            ("m_axis_tuser", if raw { "r0" } else { "verdict" }),
            ("m_axis_tdest", "ifindex of a redirect"),
        ] {
            let node = self.get(exit, port);
            self.m.output(port, node, doc);
        }
        self.m.output(
            "verdict_valid",
            verdict_valid,
            "one strobe for each packet, in order",
        );
        self.m.output("verdict", verdict, "");
        if repeats {
            let sent = self.get(exit, "verdict_sent");
            let doc = "with the strobe: the packet comes out at least once";
            self.m.output("verdict_sent", sent, doc);
        }
        for port in [
            "s_axil_awready",
            "s_axil_wready",
            "s_axil_bresp",
            "s_axil_bvalid",
            "s_axil_arready",
            "s_axil_rdata",
            "s_axil_rresp",
            "s_axil_rvalid",
        ] {
            let node = self.get(host_port, port);
            self.m.output(port, node, "");
        }
        debug_assert_eq!(self.m.width(length), LENGTH_BITS);
        let ports = &self.design.modules[program.module].ports;
        if ports.iter().any(|port| port.name == CARRIED) {
            let carried = self.get(program, CARRIED);
            self.m.output(CARRIED, carried, CARRIED_DOC);
        }
        let mut maps = Vec::new();
        let storage = std::mem::take(&mut self.compute.storage);
        for ((map, decl), storage) in self.program.maps.iter().zip(storage) {
            let journal = self.compute.journals.get(&map).cloned();
            if let Some(journal) = &journal {
                self.journal(program, &journal.name);
            }
            maps.push(map_port(decl, journal, storage));
        }
        let has_metadata = moves.is_some_and(|moves| moves.has_metadata());
        let interface = Interface {
            top: self.m.name.clone(),
            bus_bits: self.bus_bits,
            raw,
            has_time,
            has_random,
            has_egress,
            has_port_table: has_port,
            has_metadata,
            repeats,
            maps,
            design_id: self.design_id,
        };
        self.design.add(self.m);
        interface
    }

    /// The ports of a map's journal.
    fn journal(&mut self, program: Placed, name: &str) {
        let ports = &self.design.modules[program.module].ports;
        let names = JOURNAL_SIGNALS.map(|signal| format!("{name}_{signal}"));
        let own: Vec<(String, String)> = (ports.iter())
            .filter(|port| names.contains(&port.name))
            .map(|port| (port.name.clone(), port.doc.clone()))
            .collect();
        for (port, doc) in own {
            let node = self.get(program, &port);
            self.m.output(port, node, doc);
        }
    }
}

/// The instance of the compute module. No language has this word, so that it is called the same everywhere.
const PIPELINE: &str = "pipeline";

fn map_port(decl: &hardpath_ir::MapDecl, journal: Option<Journal>, storage: Storage) -> MapPort {
    MapPort {
        name: decl.name.clone(),
        kind: decl.kind.name().into(),
        key_bytes: decl.key_bytes,
        value_bytes: decl.value_bytes,
        max_entries: decl.max_entries,
        slots: match decl.kind {
            kind if kind.is_hash() => Hash::entries(decl.max_entries),
            _ => decl.max_entries,
        },
        journal,
        storage: Some(storage.inside(PIPELINE)),
    }
}
