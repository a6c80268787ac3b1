//! A table of keys that only the host writes, with its hash functions.

use hardpath_blocks::cuckoo::{cuckoo, Cuckoo};
use hardpath_blocks::hash::hash_function;
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_rtl::{Design, Module, Node};

/// The functions, a register, the table: `key` and `host` come a clock before stage R.
pub fn around(config: &Cuckoo) -> Design {
    let mut design = Design::new();
    let function_id = design.add(hash_function("functions", config.functions(), 0));
    let table_id = design.add(cuckoo(config));
    let (function, table) = (&design.modules[function_id], &design.modules[table_id]);
    let row_bits = Cuckoo::row_bits(config.max_entries);
    let mut m = Module::new("block", "");
    let key = m.input("key", config.key_bits, "");
    let host = m.input("host", 1, "");
    let host_command = m.input("host_command", 3, "");
    let host_slot = m.input("host_slot", 32, "");
    let dump = m.eq_const(host_command, u64::from(command::DUMP));
    let row = m.slice(host_slot, 2, row_bits);
    let key_meant = m.wire(config.key_bits, "key_meant_wire");
    let inputs = [
        ("key", key),
        ("host", host),
        ("host_key", key_meant),
        ("host_dump", dump),
        ("host_slot", row),
    ];
    let functions = m.instance(function, function_id, "functions", &inputs);
    let key_out = m.instance_output(function, functions, "key_out");
    let rows = m.instance_output(function, functions, "rows");
    let mut inputs: Vec<(&str, Node)> = vec![
        ("key", m.delay("key_r", key_out)),
        ("rows", m.delay("rows_r", rows)),
        ("host_r", m.delay_reset("host_r", host)),
        ("host_command", host_command),
        ("host_slot", host_slot),
    ];
    for (name, bits) in [
        ("clear", 1),
        ("clear_index", row_bits),
        ("host_may", May::BITS),
        ("host_key", config.key_bits),
        ("host_value", config.value_bits),
    ] {
        inputs.push((name, m.input(name, bits, "")));
    }
    let instance = m.instance(table, table_id, "table", &inputs);
    for name in [
        "hit",
        "value",
        "host_c",
        "host_answer",
        "host_slot_out",
        "host_key_out",
        "host_value_out",
    ] {
        let node = m.instance_output(table, instance, name);
        m.output(name, node, "");
    }
    let meant = m.instance_output(table, instance, "key_meant");
    m.drive(key_meant, meant);
    design.add(m);
    design
}
