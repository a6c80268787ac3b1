//! Bounded proofs by yosys' SAT solver of the blocks on which serial equivalence rests. Each block is also proved with
//! one mistake in its text, which must be refuted.

use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use hardpath_blocks::fifo::fifo;
use hardpath_blocks::interlock::{interlock, Interlock};
use hardpath_blocks::replay_fifo::replay_fifo;
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
    /// What the mistake replaces in the text, once, and by what.
    mistake: (&'static str, &'static str),
}

#[test]
fn a_fifo_keeps_order_and_room() {
    Claim {
        name: "fifo".into(),
        block: fifo("block", 2, 4).into(),
        harness: include_str!("proofs/fifo.sv"),
        parameters: "".into(),
        clocks: 14,
        mistake: ("load || (head_valid && !pop)", "load"),
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
        mistake: (
            "rewind ? retired_pointer : load ? read_pointer",
            "rewind ? popped_pointer : load ? read_pointer",
        ),
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
        mistake: ("inside_3 && tag_3 == head_tag", "1'b0"),
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
        mistake: ("commit_write && index_a == commit_index", "1'b0"),
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
        mistake: ("last_write && index_0_b == last_index", "1'b0"),
    }
    .holds();
}

#[test]
fn a_value_memory_with_registers_reads_what_was_committed() {
    for mistake in [
        "before_write && index_0_b == before_index",
        "stored_write && index_0_b == stored_index",
        "commit_write && index_0_b == commit_index",
        "commit_write && index_0_c == commit_index",
    ] {
        Claim {
            name: "array_registers".into(),
            block: memory(65, true),
            harness: include_str!("proofs/array.sv"),
            parameters: "-set BITS 7 -set CLOCKS 3 -set DEPTH 65".into(),
            clocks: 11,
            mistake: (mistake, "1'b0"),
        }
        .holds();
    }
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
            mistakes: &[self.mistake],
        }
        .holds(env!("CARGO_TARGET_TMPDIR").as_ref());
    }
}
