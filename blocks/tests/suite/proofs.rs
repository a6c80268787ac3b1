//! Bounded proofs by yosys' SAT solver of the blocks on which serial equivalence rests. Each block is also proved with
//! one mistake in its text, which must be refuted.

use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use hardpath_blocks::fifo::fifo;
use hardpath_blocks::interlock::{interlock, Interlock};
use hardpath_blocks::replay_fifo::replay_fifo;
use hardpath_blocks::ternary::{ternary, Match, Ternary};
use hardpath_rtl::{verilog, Design, Module};

/// A block called `block`, beside what it must do.
struct Claim {
    name: String,
    block: Module,
    harness: &'static str,
    /// Parameters of the harness.
    parameters: String,
    /// Clocks from reset for which it is proved.
    clocks: u32,
    /// What mistakes replace in the text, once, and by what.
    mistakes: &'static [(&'static str, &'static str)],
}

#[test]
fn a_fifo_keeps_order_and_room() {
    Claim {
        name: "fifo".into(),
        block: fifo("block", 2, 4).into(),
        harness: include_str!("proofs/fifo.sv"),
        parameters: "".into(),
        clocks: 14,
        mistakes: &[("load || (head_valid && !pop)", "load")],
    }
    .holds();
}

#[test]
fn a_replay_fifo_gives_the_same_words_again() {
    Claim {
        name: "replay_fifo".into(),
        block: replay_fifo("block", 2, 4).into(),
        harness: include_str!("proofs/replay_fifo.sv"),
        parameters: "".into(),
        clocks: 13,
        mistakes: &[(
            "rewind ? retired_pointer : load ? read_pointer",
            "rewind ? popped_pointer : load ? read_pointer",
        )],
    }
    .holds();
}

#[test]
fn an_interlock_keeps_equal_tags_apart() {
    let config = Interlock {
        name: "block".into(),
        tag_bits: 2,
        window: 3,
        waits_for_all: None,
    };
    Claim {
        name: "interlock".into(),
        block: interlock(&config).into(),
        harness: include_str!("proofs/interlock.sv"),
        parameters: "".into(),
        clocks: 20,
        mistakes: &[("inside_3 && tag_3 == head_tag", "1'b0")],
    }
    .holds();
}

#[test]
fn a_value_memory_in_lut_ram_reads_what_was_committed() {
    Claim {
        name: "array_lut_ram".into(),
        block: memory(4, false),
        harness: include_str!("proofs/array.sv"),
        parameters: "-set BITS 2 -set CLOCKS 1 -set DEPTH 4".into(),
        clocks: 14,
        mistakes: &[("commit_write && index_a == commit_index", "1'b0")],
    }
    .holds();
}

#[test]
fn a_value_memory_in_block_ram_reads_what_was_committed() {
    Claim {
        name: "array_block_ram".into(),
        block: memory(65, false),
        harness: include_str!("proofs/array.sv"),
        parameters: "-set BITS 7 -set CLOCKS 2 -set DEPTH 65".into(),
        clocks: 10,
        mistakes: &[("last_write && index_0_b == last_index", "1'b0")],
    }
    .holds();
}

#[test]
fn a_value_memory_with_registers_reads_what_was_committed() {
    Claim {
        name: "array_registers".into(),
        block: memory(65, true),
        harness: include_str!("proofs/array.sv"),
        parameters: "-set BITS 7 -set CLOCKS 3 -set DEPTH 65".into(),
        clocks: 11,
        mistakes: &[
            ("before_write && index_0_b == before_index", "1'b0"),
            ("stored_write && index_0_b == stored_index", "1'b0"),
            ("commit_write && index_0_b == commit_index", "1'b0"),
            ("commit_write && index_0_c == commit_index", "1'b0"),
        ],
    }
    .holds();
}

/// Three operations of any kind, one behind the other, on a table of three entries: lookups in all clocks find what is there before the
/// operation's slot, or what is there behind it.
#[test]
fn a_lookup_sees_a_change_of_a_ternary_table_whole() {
    const PREPARE: u32 = 26;
    const OPERATIONS: u32 = 3;
    let config = Ternary {
        name: "block".into(),
        map: "m".into(),
        fields: vec![(Match::Ternary, 2)],
        entries: 3,
        masks: None,
        registers: false,
    };
    let clocks = config.clocks();
    let parameters = "-set ENTRIES 3 -set NUMBER_BITS 2 -set KEY_BITS 2";
    Claim {
        name: "ternary".into(),
        block: ternary(&config).into(),
        harness: include_str!("proofs/ternary.sv"),
        parameters: format!("{parameters} -set CLOCKS {clocks} -set PREPARE {PREPARE}"),
        clocks: 6 + OPERATIONS * (PREPARE + clocks + 4),
        mistakes: &[
            // An entry is there before its rows are.
            (
                "matching <= chunk_0_data0 & valid",
                "matching <= chunk_0_data0",
            ),
            // A new one goes before those of higher priority.
            (
                "goes_before <= {higher_priority_or,",
                "goes_before <= {1'b0,",
            ),
            // The ranks of others stay.
            ("rank_0[1] ^ rank_0[0] ^ ranks_go_down_0", "rank_0[1]"),
        ],
    }
    .holds();
}

/// A memory whose packets read and write in the clock in which the word comes.
fn memory(depth: u32, registers: bool) -> Module {
    let clocks = Array::read_clocks(depth, registers);
    array(&Array {
        name: "block".into(),
        map: "m".into(),
        depth,
        value_bits: 2,
        presence: Presence::Always,
        reads: vec![clocks],
        writers: 1,
        parts: Vec::new(),
        host_alone: false,
        first_is_the_hosts: false,
        own_write_index: false,
        forward: true,
        registers,
        host_commit_after: clocks,
        host: HostAddress::Follows,
    })
    .into()
}

impl Claim {
    fn holds(self) {
        let mut design = Design::new();
        let id = design.add(self.block);
        hardpath_testkit::claim::Claim {
            name: &self.name,
            block: verilog::print_module(&design, id),
            harness: self.harness,
            parameters: &self.parameters,
            clocks: self.clocks,
            mistakes: self.mistakes,
        }
        .holds(env!("CARGO_TARGET_TMPDIR").as_ref());
    }
}
