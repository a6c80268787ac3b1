//! Programs of a device map's entries, in hardware against the kernel: they know which interface a packet is about to
//! leave by. They are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};

#[test]
fn where_a_packet_leaves() {
    let Some((_place, object)) = compile("egress") else {
        return;
    };
    let judge = judge();
    // The first one is where the packets came in; the last one has bits in every byte.
    for (program, egress) in [("count", "3"), ("count", "7"), ("parts", "67305985")] {
        for bus in ["64", "512"] {
            let mut arguments = vec!["check", path(&object), "--program", program, "--json"];
            arguments.extend(["--against", judge, "--pcap", "programs/firewall.pcap"]);
            arguments.extend(["--ifindex", "3", "--egress-ifindex", egress, "--bus", bus]);
            arguments.extend(["--pace", "random:3", "--backpressure", "5"]);
            let run = hardpath(&arguments);
            assert_eq!(run.status, 0, "{program}, {egress}: {:#}", run.json());
            if judge == "kernel" {
                let answer = run.json();
                assert_eq!(answer["judged_by_kernel"], answer["packets"], "{answer:#}");
            }
        }
    }
}

/// What the interpreter and the hardware say is not only the same, but right.
#[test]
fn the_number_is_that_of_the_command_line() {
    let Some((place, object)) = compile("egress") else {
        return;
    };
    let after = place.path().join("after.json");
    let mut arguments = vec!["sim", path(&object), "--program", "count", "--json"];
    arguments.extend(["--pcap", "programs/firewall.pcap", "--ifindex", "3"]);
    arguments.extend(["--egress-ifindex", "258", "--maps-out", path(&after)]);
    let run = hardpath(&arguments);
    assert_eq!(run.status, 0);
    let maps = std::fs::read_to_string(&after).unwrap();
    let maps: serde_json::Value = serde_json::from_str(&maps).unwrap();
    let sent = maps["sent"].as_array().unwrap();
    assert_eq!(sent.len(), 1, "{maps:#}");
    let key = serde_json::json!(["0x02", "0x01", "0x00", "0x00"]);
    assert_eq!(sent[0]["key"], key, "{maps:#}");
}

#[test]
fn a_program_that_cannot_know() {
    let Some((_place, object)) = compile("egress") else {
        return;
    };
    let arguments = ["compile", path(&object), "--program", "ordinary", "--json"];
    let error = hardpath(&arguments).error(3, "egress-ifindex");
    let place = error["place"].as_str().unwrap();
    assert!(place.contains("ctx->egress_ifindex == 3"), "{error}");
}
