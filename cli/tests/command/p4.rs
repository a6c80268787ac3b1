//! P4 sources: their tests in hardware, their folder, and what is wrong with them.

use crate::common::{hardpath, made, path, root};
use crate::packets::checksum;
use hardpath_testbed::capture::{self, Captured};
use hardpath_testkit::parallel;
use hardpath_testkit::scripts::paired;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A program of `programs/p4`, and what is known of it.
struct Sample {
    name: &'static str,
    /// Beats that the packet takes of which the fewest a second go through, of any length and traffic.
    beats: f64,
    /// How many packets of its tests find entries of `NAME.entries` and leave, at least.
    leave: u64,
}

const fn sample(name: &'static str, beats: f64, leave: u64) -> Sample {
    Sample { name, beats, leave }
}

/// All of them, by name.
const SAMPLES: [Sample; 13] = [
    sample("classifier", 1.0, 35),
    sample("countmin", 1.0, 60),
    sample("ecmp", 1.0, 115),
    sample("firewall", 1.0, 20),
    sample("gtpu", 2.0, 105),
    sample("ipip", 2.0, 55),
    sample("l2l3", 1.0, 16),
    sample("marketdata", 1.0, 30),
    sample("nat64", 2.0, 75),
    sample("paxos", 1.0, 45),
    // Reports have 58 bytes in front, and telemetry 28: both at once, which does not happen, would be three beats.
    sample("telemetry", 3.0, 30),
    // It puts 28 bytes in front of a packet of 60, which then leaves in two beats.
    sample("tunnel", 2.0, 10),
    sample("vxlan", 2.0, 25),
];

/// Those that long tests try: the ones that all others grew from and every fourth of the others; with `HARDPATH_FULL` all.
pub fn some_samples() -> Vec<&'static str> {
    let names = SAMPLES.iter().map(|sample| sample.name);
    let (first, others): (Vec<_>, Vec<_>) =
        names.partition(|name| ["firewall", "l2l3", "tunnel"].contains(name));
    let others = others.into_iter().step_by(step(4));
    first.into_iter().chain(others).collect()
}

/// Programs of `tests/stf`, each with its tests.
fn programs() -> Vec<(String, Vec<String>)> {
    paired(&root().join("tests/stf"), "p4", "stf")
}

/// What hardware refuses: copies of packets, and packets that begin once more.
const REFUSED: [&str; 7] = [
    "v1-clone-egress",
    "v1-clone-ingress",
    "v1-clone-without-session",
    "v1-drop-and-clone",
    "v1-multicast",
    "v1-recirculate",
    "v1-resubmit",
];

/// A program of meters or selectors, which are built in a way of their own.
fn has_own_hardware(name: &str) -> bool {
    let is_one = |word: &str| word == "meter" || word.starts_with("selector");
    name.split('-').any(is_one)
}

/// Runs tests of every so manieth program on hardware, and of those that are `wanted`. All pass but those that are refused.
fn pass(every: usize, wanted: fn(&str) -> bool, options: &[&str]) {
    let all = programs();
    for refused in REFUSED {
        let is_there = all.iter().any(|(name, _)| name == refused);
        assert!(is_there, "there is no {refused}");
    }
    let some = all.iter().enumerate();
    let some = some.filter(|(at, (name, _))| at % every == 0 || wanted(name));
    let some: Vec<_> = some.map(|(_, program)| program).collect();
    parallel::map(some.len(), |at| {
        let (name, tests) = some[at];
        let program = format!("tests/stf/{name}.p4");
        let files = tests.iter().map(|test| format!("tests/stf/{test}.stf"));
        let files: Vec<String> = files.collect();
        let mut arguments = vec!["stf", "--json", program.as_str()];
        arguments.extend(files.iter().map(String::as_str));
        arguments.extend(options);
        let run = hardpath(&arguments);
        let told = run.json();
        let (status, passed, refused) = match REFUSED.contains(&name.as_str()) {
            true => (3, 0, tests.len()),
            false => (0, tests.len(), 0),
        };
        assert_eq!(told["failed"], 0, "{name}: {told:#}");
        assert_eq!(told["passed"], passed, "{name}: {told:#}");
        assert_eq!(told["refused"], refused, "{name}: {told:#}");
        assert_eq!(run.status, status, "{name}: {told:#}");
    });
}

/// `HARDPATH_FULL` takes all programs.
fn step(every: usize) -> usize {
    match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 1,
        None => every,
    }
}

#[test]
fn tests_of_p4_pass_in_pipelines() {
    pass(1, |_| false, &[]);
}

#[test]
fn programs_that_write_their_headers_back_take_a_packet_a_clock() {
    for Sample { name, beats, .. } in SAMPLES {
        let folder = tempfile::tempdir().expect("a folder");
        let program = format!("programs/p4/{name}.p4");
        let out = path(folder.path());
        let told = hardpath(&["compile", "--json", program.as_str(), "-o", out]).json();
        let clock = told["clock_mhz"].as_f64().expect("a clock") * 1e6;
        assert_eq!(
            told["promise"]["any_traffic_pps"],
            clock / beats,
            "{name}: {told:#}"
        );
        assert_eq!(told["promise"]["slowest_map"], serde_json::Value::Null);
    }
}

#[test]
fn tests_of_p4_pass_on_cores() {
    pass(step(3), has_own_hardware, &["--target", "core"]);
}

#[test]
fn rows_of_cores_pass_tests_of_p4() {
    let options = ["--target", "core", "--engine", "rows"];
    pass(step(4), has_own_hardware, &options);
}

/// The printed text of some.
#[test]
fn tests_of_p4_pass_in_verilator() {
    let options = ["--engine", "verilator", "--bus", "128"];
    pass(step(30), |_| false, &options);
}

/// Writes packets as a capture, each with its time in nanoseconds.
fn write_packets(file: &Path, packets: impl IntoIterator<Item = (u64, Vec<u8>)>) {
    let packets = packets.into_iter().map(|(time_ns, data)| Captured {
        data,
        time_ns,
        comment: None,
    });
    capture::write(file, &packets.collect::<Vec<_>>()).expect("a capture");
}

const SECOND: u64 = 1_000_000_000;

/// Writes the packets of a test as a capture.
fn write_packets_of(file: &Path, test: &str) {
    let text = fs::read_to_string(root().join(test)).unwrap();
    let packets = text.lines().filter_map(|line| line.strip_prefix("packet "));
    let packets = packets.map(|packet| {
        let (_, digits) = packet.split_once(' ').unwrap();
        let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
        let text = |pair: &[u8]| String::from_utf8(pair.to_vec()).unwrap();
        let data = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(&text(pair), 16).unwrap());
        (SECOND, data.collect())
    });
    write_packets(file, packets);
}

/// Packets that have left.
fn sent(file: &Path) -> Vec<Vec<u8>> {
    let packets = capture::read(file).expect("a capture").into_iter();
    packets.map(|packet| packet.data).collect()
}

/// What `check` says of one of our programs, with its entries and the packets of its tests.
fn checked(name: &str, options: &[&str]) -> crate::common::Run {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("packets.pcapng");
    write_packets_of(&file, &format!("programs/p4/{name}.stf"));
    let program = format!("programs/p4/{name}.p4");
    let entries = format!("programs/p4/{name}.entries");
    let given = ["check", &program, "--entries", &entries, "--json"];
    let packets = ["--pcap", path(&file)];
    hardpath(&[&given[..], &packets, options].concat())
}

#[test]
fn hardware_is_compared_with_the_meaning_of_the_source() {
    for Sample { name, leave, .. } in SAMPLES {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("out.pcapng");
        let run = checked(name, &["--out", path(&out), "--backpressure", "3"]);
        let told = run.json();
        assert_eq!(run.status, 0, "{name}: {told:#}");
        assert_eq!(told["judge"], "the P4 reference interpreter", "{told:#}");
        assert_eq!(told["against"], "interpreter");
        assert!(told["packets"].as_u64() >= Some(29), "{told:#}");
        assert!(told["maps_compared"].as_u64() >= Some(4), "{told:#}");
        let sent = hardpath(&[
            "sim",
            &format!("programs/p4/{name}.p4"),
            "--json",
            "--pcap",
            path(&out),
        ]);
        assert!(
            sent.json()["packets"].as_u64() >= Some(leave),
            "{name}: {}",
            sent.stdout
        );
    }
}

/// Messages in packets of 512 bytes.
const MANY_MESSAGES: u16 = 11;
/// Bytes of a message with its length in front, and of what stands in front of all.
const BLOCK: u16 = 38;
const IN_FRONT: u16 = 62;

/// Nobody wants the stock of a message with this number.
fn is_unwanted(number: u64) -> bool {
    number % 4 == 1
}

/// The header of a datagram for the session of `marketdata.entries`, with so many bytes behind it.
fn ipv4(payload: u16) -> [u8; 20] {
    let mut header = [
        0x45, 0, 0, 0, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0, 10, 0, 2, 33, 233, 54, 12, 1,
    ];
    header[2..4].copy_from_slice(&(20 + payload).to_be_bytes());
    let sum = checksum(&header);
    header[10..12].copy_from_slice(&sum);
    header
}

/// A packet of that session, whose first message has this number.
fn market_data(number: u64, messages: u16) -> Vec<u8> {
    let datagram = 28 + BLOCK * messages;
    let mut data = vec![1, 0, 0x5e, 0x36, 12, 1, 2, 0, 0, 0, 0, 10, 8, 0];
    data.extend(ipv4(datagram));
    for word in [30_000, 26_400, datagram, 0] {
        data.extend(u16::to_be_bytes(word));
    }
    data.extend(b"FEED000001");
    data.extend(number.to_be_bytes());
    data.extend(messages.to_be_bytes());
    for number in number..number + u64::from(messages) {
        let stocks = [b"HPTH    ", b"NOBODY  ", b"XDP     ", b"P4LANG  "];
        data.extend([0, 36, b'A', 0, 9, 0, 0, 0, 0, 0, 0, 0, 0]);
        data.extend(number.to_be_bytes());
        data.extend([b'B', 0, 0, 0, 100]);
        data.extend(stocks[(number % 4) as usize]);
        data.extend([0, 18, 214, 68]);
    }
    data
}

/// All messages that a packet may have, fewer of them, one that is too many; each packet comes twice, and leaves once without what nobody wants.
#[test]
fn packets_of_many_messages_are_compared() {
    let place = tempfile::tempdir().unwrap();
    let [packets, out] = ["packets.pcapng", "out.pcapng"].map(|name| place.path().join(name));
    let Some(source) = made(&format!("marketdata:{MANY_MESSAGES}"), place.path()) else {
        return;
    };
    let text = fs::read_to_string(&source).unwrap();
    let many = format!("const int MESSAGES = {MANY_MESSAGES};");
    assert!(text.contains(&many));
    let (mut next, mut frames, mut leave) = (1, Vec::new(), Vec::new());
    for messages in [11, 11, 10, 1, 6, 11, 12, 11, 2, 11] {
        let numbers = next..next + u64::from(messages);
        let frame = market_data(next, messages);
        next = numbers.end;
        frames.extend([(SECOND, frame.clone()), (SECOND, frame)]);
        let wanted = numbers.filter(|number| !is_unwanted(*number)).count();
        match messages <= MANY_MESSAGES {
            true if wanted == 0 => {}
            true => leave.push(usize::from(IN_FRONT) + usize::from(BLOCK) * wanted),
            false => leave.push(usize::from(IN_FRONT + BLOCK * messages)),
        }
    }
    write_packets(&packets, frames);
    let given = ["--entries", "programs/p4/marketdata.entries", "--json"];
    let files = ["--pcap", path(&packets), "--out", path(&out)];
    let run = hardpath(&[&["check", path(&source)], &given[..], &files].concat());
    let told = run.json();
    assert_eq!(run.status, 0, "{told:#}");
    assert_eq!(told["packets"], 20, "{told:#}");
    let lengths: Vec<usize> = sent(&out).iter().map(Vec::len).collect();
    assert_eq!(lengths, leave);
}

/// P4 takes packets that are no Ethernet frames: they are run and compared as all others.
#[test]
fn packets_that_are_shorter_than_a_header_are_compared() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("packets.pcapng");
    let program = "tests/stf/v1-register-counts";
    write_packets_of(&file, &format!("{program}.stf"));
    let program = format!("{program}.p4");
    for target in ["pipeline", "core"] {
        let given = ["check", &program, "--json", "--target", target];
        let told = hardpath(&[&given[..], &["--pcap", path(&file)]].concat()).json();
        assert_eq!(told["not_taken_in"], 0, "{told:#}");
        assert!(told["packets"].as_u64() == Some(3), "{told:#}");
        assert_eq!(told["mismatches"], 0, "{told:#}");
        assert_eq!(told["map_mismatches"], 0, "{told:#}");
    }
}

/// Times that entries keep are compared with the rest of their values, and make no packet wait.
#[test]
fn tables_with_timeouts_take_a_packet_a_clock() {
    let place = tempfile::tempdir().unwrap();
    let (file, entries) = (
        place.path().join("packets.pcapng"),
        place.path().join("some.entries"),
    );
    let program = "tests/stf/v1-idle-timeout";
    write_packets_of(&file, &format!("{program}.stf"));
    let text = "table_add t set 1 => 16\ntable_add t set 2 => 32\ntable_set_timeout t 0 5\n";
    fs::write(&entries, text).unwrap();
    let program = format!("{program}.p4");
    for target in ["pipeline", "core"] {
        let given = ["check", &program, "--json", "--target", target];
        let files = ["--pcap", path(&file), "--entries", path(&entries)];
        let told = hardpath(&[&given[..], &files].concat()).json();
        assert_eq!(told["packets"].as_u64(), Some(12), "{told:#}");
        assert_eq!(told["mismatches"], 0, "{told:#}");
        assert_eq!(told["map_mismatches"], 0, "{told:#}");
    }
    let out = place.path().join("design");
    let told = hardpath(&["compile", "--json", &program, "-o", path(&out)]).json();
    let maps = told["maps"].as_array().unwrap();
    for map in maps {
        let hazard = map["hazard"].as_str().unwrap();
        assert!(["none", "fused"].contains(&hazard), "{map:#}");
    }
    assert_eq!(told["promise"]["slowest_map"], serde_json::Value::Null);
}

/// Counts stand beside the meter's buckets, and not in front of rows, so that packets write no entries.
#[test]
fn entries_that_have_meters_count_in_cells() {
    for (program, hazard) in [("v1-direct-counter", "fused"), ("v1-direct-meter", "none")] {
        let source = format!("tests/stf/{program}.p4");
        let out = tempfile::tempdir().unwrap();
        let compiled = hardpath(&["compile", &source, "--json", "-o", path(out.path())]).json();
        let maps = compiled["maps"].as_array().unwrap();
        let mut tables = maps.iter().filter(|map| map["type"] == "table");
        assert_eq!(tables.next().unwrap()["hazard"], hazard, "{program}");
    }
}

/// One flow, a packet in each clock, of 250 MHz or of an ECP5's 75: each needs the bucket that the one before has left, and all three colours come.
#[test]
fn a_meter_counts_each_packet_of_one_flow() {
    let place = tempfile::tempdir().unwrap();
    let [packets, entries, out] =
        ["packets.pcapng", "some.entries", "out.pcapng"].map(|name| place.path().join(name));
    // What stands in front of a packet, and which of its bytes gets the colour.
    for (program, front, colour, commands) in [
        (
            "tests/stf/v1-direct-meter.p4",
            [1, 0, 0],
            1,
            "table_add t told 1 => 1\nmeter_set_rates rate 0 40:20 90:50\n",
        ),
        (
            "tests/stf/v1-meter.p4",
            [0, 0, 0],
            2,
            "meter_set_rates by_byte 0 2560:1280 5760:3200\n",
        ),
    ] {
        fs::write(&entries, commands).unwrap();
        for (target, family, count) in [
            ("pipeline", "ultrascale+", 4000),
            ("pipeline", "ecp5", 4000),
            ("core", "ultrascale+", 200),
        ] {
            let frame = [&front[..], &[0; 61]].concat();
            let frames = (0..count).map(|at| (SECOND + 4 * at, frame.clone()));
            write_packets(&packets, frames);
            let given = [program, "--json", "--target", target, "--family", family];
            let files = ["--pcap", path(&packets), "--entries", path(&entries)];
            let run = hardpath(&[&["check"], &given[..], &files, &["--out", path(&out)]].concat());
            let told = run.json();
            assert_eq!(run.status, 0, "{program}, {target}: {told:#}");
            assert_eq!(told["packets"], count, "{told:#}");
            let mut seen = [0; 3];
            for packet in sent(&out) {
                seen[usize::from(packet[colour] & 3)] += 1;
            }
            let enough = seen.iter().all(|seen| *seen > count / 8);
            assert!(enough, "{program}, {target}: {seen:?}");
            if target == "pipeline" {
                let told = hardpath(&[&["sim"], &given[..], &files].concat()).json();
                assert_eq!(told["packets_per_clock"], 1.0, "{program}: {told:#}");
            }
        }
    }
}

/// The same by their text.
#[test]
fn our_programs_do_in_verilator_what_they_mean() {
    let samples = some_samples();
    parallel::map(samples.len(), |at| {
        let name = samples[at];
        let run = checked(name, &["--engine", "verilator"]);
        assert_eq!(run.status, 0, "{name}: {}{}", run.stdout, run.stderr);
    });
}

#[test]
fn a_core_is_compared_with_the_meaning_of_the_source() {
    let some = some_samples();
    for Sample { name, .. } in SAMPLES {
        let engines: &[&str] = match some.contains(&name) {
            true => &["native", "rows"],
            false => &["native"],
        };
        for engine in engines {
            let run = checked(name, &["--target", "core", "--engine", engine]);
            let told = run.json();
            assert_eq!(run.status, 0, "{name}, {engine}: {told:#}");
            assert_eq!(told["judge"], "the P4 reference interpreter", "{told:#}");
        }
    }
}

/// The number that a description of a program (P4Info) has for a name.
fn id_of(info: &str, name: &str) -> String {
    let before = info.split(&format!("name: \"{name}\"")).next().unwrap();
    before.rsplit("id: ").next().unwrap().trim().to_owned()
}

/// What a program has itself, written for a control plane, and entries of that form in hardware.
#[test]
fn entries_of_p4runtime_are_written_and_read() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("entries.txtpb");
    let program = "programs/p4/firewall.p4";
    let own = hardpath(&["p4info", program, "--entries", "-"]);
    assert_eq!(own.status, 0, "{}", own.stderr);
    assert_eq!(own.stdout.matches("is_const: true").count(), 3);
    // Those are the program's own; one more makes hosts reachable.
    let info = hardpath(&["p4info", program]).stdout;
    let id = |name: &str| id_of(&info, name);
    let (table, action) = (id("Receive.hosts"), id("Receive.send"));
    let entry = format!(
        "updates {{\n  type: INSERT\n  entity {{ table_entry {{\n    table_id: {table}\n    match {{ field_id: 1 lpm {{ value: \"\\n\\000\\000\\000\" prefix_len: 8 }} }}\n    \
         action {{ action {{ action_id: {action} params {{ param_id: 1 value: \"\\t\" }} }} }}\n  }} }}\n}}\n"
    );
    fs::write(&file, own.stdout + &entry).unwrap();
    let packets = place.path().join("packets.pcapng");
    write_packets_of(&packets, "programs/p4/firewall.stf");
    let arguments = ["--json", "--entries", path(&file), "--pcap", path(&packets)];
    let run = hardpath(&[&["check", program][..], &arguments].concat());
    assert_eq!(run.status, 0, "{}", run.stdout);
    let run = hardpath(&[&["sim", program][..], &arguments].concat());
    let told = run.json();
    assert!(told["verdicts"]["forwarded"].as_u64() > Some(0), "{told:#}");
    let wrong = fs::read_to_string(&file)
        .unwrap()
        .replace("lpm {", "exact {");
    fs::write(&file, wrong).unwrap();
    let run = hardpath(&[&["sim", program][..], &arguments].concat());
    let error = run.error(2, "p4-commands");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("is lpm, not exact"),
        "{error:#}"
    );
}

/// An entry that goes before the packets come leaves nothing in its cell.
#[test]
fn a_cell_that_nobody_has_is_zero() {
    let place = tempfile::tempdir().unwrap();
    let [entries, packets] =
        ["entries.txtpb", "packets.pcapng"].map(|name| place.path().join(name));
    let program = "tests/stf/psa-counter-and-meter.p4";
    let info = hardpath(&["p4info", program]).stdout;
    let id = |name: &str| id_of(&info, name);
    let (table, action) = (id("Receive.t"), id("Receive.counted"));
    let key = format!("table_id: {table} match {{ field_id: 1 exact {{ value: \"\\001\" }} }}");
    let update =
        |what: &str, entity: &str| format!("updates {{ type: {what} entity {{ {entity} }} }}\n");
    let does = format!(
        "action {{ action {{ action_id: {action} params {{ param_id: 1 value: \"\\005\" }} }} }}"
    );
    let text = [
        update("INSERT", &format!("table_entry {{ {key} {does} }}")),
        update(
            "MODIFY",
            &format!(
                "direct_counter_entry {{ data {{ packet_count: 9 byte_count: 8 }} table_entry {{ {key} }} }}"
            ),
        ),
        update("DELETE", &format!("table_entry {{ {key} }}")),
    ];
    fs::write(&entries, text.concat()).unwrap();
    write_packets_of(&packets, "tests/stf/psa-counter-and-meter.stf");
    let files = [
        "--json",
        "--entries",
        path(&entries),
        "--pcap",
        path(&packets),
    ];
    let run = hardpath(&[&["check", program][..], &files].concat());
    assert_eq!(run.status, 0, "{}", run.stdout);
}

/// What a program says beside its packets, which hardware does not tell.
#[test]
fn messages_are_told_beside_hardware() {
    for options in [&[][..], &["--engine", "interpreter"]] {
        let test = [
            "stf",
            "--json",
            "tests/stf/v1-messages.p4",
            "tests/stf/v1-messages.stf",
        ];
        let run = hardpath(&[&test[..], options].concat());
        let told = run.json();
        assert_eq!(run.status, 0, "{told:#}");
        let said = &told["messages"][0]["said"];
        assert_eq!(said[0]["text"], "a = 5, r = 7, {}", "{told:#}");
        assert_eq!(said[3]["kind"], "assert", "{told:#}");
        assert_eq!(said[4]["fields"][1]["value"], "false", "{told:#}");
    }
}

#[test]
fn judges_that_know_no_p4_are_refused() {
    checked("l2l3", &["--against", "kernel"]).error(2, "kernel-needs-object");
    let place = tempfile::tempdir().unwrap();
    let maps = place.path().join("maps.json");
    fs::write(&maps, "{}").unwrap();
    let run = checked("l2l3", &["--maps", path(&maps)]);
    let told = run.json();
    assert_eq!(run.status, 0, "{told:#}");
    let mut warnings = told["warnings"].as_array().unwrap().iter();
    assert!(warnings.any(|one| one["code"] == "p4-judge"), "{told:#}");
}

#[test]
fn a_design_of_p4_has_its_p4info_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    let program = "tests/stf/table-action-arguments.p4";
    let run = hardpath(&["compile", program, "-o", path(&folder)]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    for ending in [".sv", ".f", ".p4info.txtpb", ".p4info.bin"] {
        assert!(names.iter().any(|name| name.ends_with(ending)), "{names:?}");
    }
    let info = hardpath(&["p4info", program]).stdout;
    let text = names.iter().find(|name| name.ends_with(".txtpb")).unwrap();
    assert_eq!(fs::read_to_string(folder.join(text)).unwrap(), info);
    assert!(info.contains("tables {"), "{info}");
}

/// Drivers know a design by its number: it is that of the program, in whatever folder this lies.
#[test]
fn the_number_of_a_design_is_that_of_its_program() {
    let place = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("programs/p4/countmin.p4")).unwrap();
    let number = |folder: &str, text: &str| {
        let folder = place.path().join(folder);
        fs::create_dir(&folder).unwrap();
        let program = folder.join("one.p4");
        fs::write(&program, text).unwrap();
        let design = folder.join("design");
        let run = hardpath(&["compile", path(&program), "-o", path(&design)]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let layout = fs::read_to_string(design.join("one.json")).unwrap();
        let layout: Value = serde_json::from_str(&layout).unwrap();
        layout["design_id"].as_u64().unwrap()
    };
    let first = number("a", &text);
    assert_eq!(number("b", &text), first);
    let other = text.replace("size = 16;", "size = 32;");
    assert_ne!(other, text);
    assert_ne!(number("c", &other), first);
}

#[test]
fn wrong_sources_are_told_with_their_places() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("wrong.p4");
    fs::write(
        &file,
        "#include <core.p4>\nheader h { bit<8> a; }\nconst bit<8> X = Y;\nbit<8> f() { }\n",
    )
    .unwrap();
    let run = hardpath(&["p4check", "--json", path(&file)]);
    assert_eq!(run.status, 2);
    let errors = &run.json()["errors"];
    assert_eq!(errors.as_array().map(Vec::len), Some(2), "{errors:#}");
    fs::write(&file, "#include <core.p4>\nheader h { bit<8> a; }\n").unwrap();
    assert_eq!(hardpath(&["p4check", path(&file)]).status, 0);
    let run = hardpath(&["compile", "--json", path(&file)]);
    run.error(2, "p4-instance");
    let object = hardpath(&[
        "compile",
        "--json",
        "programs/prebuilt/firewall.o",
        "-I",
        ".",
    ]);
    object.error(2, "option-needs-p4");
}

#[test]
fn sources_are_given_their_usual_form() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("ugly.p4");
    fs::write(&file, "header  h{bit<8>a;\n}\n").unwrap();
    assert_eq!(hardpath(&["p4fmt", "--check", path(&file)]).status, 1);
    assert_eq!(hardpath(&["p4fmt", path(&file)]).status, 0);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "header h {\n    bit<8> a;\n}\n"
    );
    assert_eq!(hardpath(&["p4fmt", "--check", path(&file)]).status, 0);
}

#[test]
fn a_test_that_asks_for_nothing_is_a_warning() {
    let place = tempfile::tempdir().unwrap();
    let test = place.path().join("idle.stf");
    fs::write(&test, "packet 1 fe0600\n").unwrap();
    let program = "tests/stf/bit-add-wrap.p4";
    let arguments = ["stf", "--engine", "interpreter", "--json", program];
    let run = hardpath(&[&arguments[..], &[path(&test)]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let warnings = run.json()["warnings"].clone();
    assert_eq!(warnings[0]["code"], "p4-commands", "{warnings:#}");
    fs::write(&test, "packet 1 fe0600\nno_packet\n").unwrap();
    assert_eq!(
        hardpath(&[&arguments[..], &[path(&test)]].concat()).status,
        1
    );
}

/// Puts a number into bytes, in the order that a layout says.
fn put(bytes: &mut Vec<u8>, of: &Value, number: u128) {
    let place = |name: &str| of[name].as_u64().unwrap() as usize;
    let (first, count) = (place("byte"), place("bytes"));
    let mut own = number.to_le_bytes()[..count].to_vec();
    if of["order"] == "big" {
        own.reverse();
    }
    bytes.resize(bytes.len().max(first + count), 0);
    bytes[first..first + count].copy_from_slice(&own);
}

/// The field of that name in a list.
fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let mut all = list.as_array().unwrap().iter();
    let found = all.find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {list:#}"))
}

/// Numbers at the places of fields of a list.
fn at_fields(list: &Value, numbers: &[(&str, u128)]) -> u128 {
    let numbers = numbers.iter().map(|(name, number)| {
        let field = named(list, name);
        let place = |name: &str| field[name].as_u64().unwrap() as u32;
        let (lo, width) = (place("lo"), place("width"));
        assert!(*number < 1u128 << width, "{field:#}");
        number << lo
    });
    numbers.sum()
}

/// The key of an entry as a layout says. `prefix`: how long it is.
fn key_of(layout: &Value, fields: &[(&str, u128)], prefix: Option<u128>) -> Vec<u8> {
    let key = &layout["key"];
    let mut bytes = Vec::new();
    if let Some(prefix) = prefix {
        let length = &key["prefix_length"];
        let plus = u128::from(length["plus"].as_u64().unwrap());
        put(&mut bytes, length, prefix + plus);
    }
    put(&mut bytes, key, at_fields(&key["fields"], fields));
    bytes
}

/// The value of an action as a layout says, in so many bytes.
fn value_of(map: &Value, action: &str, arguments: &[(&str, u128)]) -> Vec<u8> {
    let value = &map["layout"]["value"];
    let action = named(&value["actions"], action);
    let number = u128::from(action["number"].as_u64().unwrap());
    let row = at_fields(&value["fields"], &[("action", number)])
        + at_fields(&action["parameters"], arguments);
    row.to_le_bytes()[..map["value_bytes"].as_u64().unwrap() as usize].to_vec()
}

/// Bytes as map files have them.
fn written(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("0x{byte:02x}")).collect()
}

/// The address map of a program's design, and what its maps hold with these entries.
fn map_and_contents(program: &str, entries: &str) -> (Value, Value, String) {
    let place = tempfile::tempdir().unwrap();
    let design = place.path().join("design");
    let [maps, packets, commands] =
        ["maps.json", "packets.pcapng", "entries"].map(|name| place.path().join(name));
    let run = hardpath(&["compile", program, "-o", path(&design)]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    write_packets_of(&packets, "programs/p4/l2l3.stf");
    fs::write(&commands, entries).unwrap();
    let given = ["--entries", path(&commands), "--pcap", path(&packets)];
    let run = hardpath(&[&["sim", program][..], &given, &["--maps-out", path(&maps)]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let name = Path::new(program).file_stem().unwrap().to_str().unwrap();
    let name = name.replace('-', "_");
    let map = serde_json::from_str(&read(&design.join(format!("{name}.json")))).unwrap();
    let texts = ["README.md".to_owned(), format!("{name}.h")];
    let texts = texts.map(|name| read(&design.join(name))).concat();
    (map, serde_json::from_str(&read(&maps)).unwrap(), texts)
}

/// Whoever follows the layout of a design's folder writes what `--entries` writes.
#[test]
fn entries_are_written_as_the_address_map_says() {
    let entries = "table_add dmac forward 02:00:00:00:00:0a => 259\n\
                   table_add routes via 10.0.1.128/25 => 258\n\
                   table_add routes drop 192.0.2.0/24 =>\n\
                   table_add next_hops send 258 => 259 02:00:00:00:00:01 0a:0b:0c:0d:0e:0f\n\
                   table_set_default dmac forward 257\n";
    let (map, held, texts) = map_and_contents("programs/p4/l2l3.p4", entries);
    let has = |name: &str, key: Vec<u8>, value: Vec<u8>| {
        let entries = held[name].as_array().unwrap();
        let is_it = |entry: &&Value| entry["key"] == written(&key);
        let entry = entries.iter().find(is_it);
        let entry = entry.unwrap_or_else(|| panic!("{key:02x?} in {:#}", held[name]));
        assert_eq!(entry["value"], written(&value), "{name}");
    };
    let dmac = named(&map["maps"], "Receive.dmac");
    has(
        "Receive.dmac",
        key_of(
            &dmac["layout"],
            &[("hdr.ethernet.dst", 0x0200_0000_000a)],
            None,
        ),
        value_of(dmac, "Receive.forward", &[("port", 259)]),
    );
    let default = named(&map["maps"], "Receive.dmac.default");
    has(
        "Receive.dmac.default",
        key_of(&default["layout"], &[("index", 0)], None),
        value_of(default, "Receive.forward", &[("port", 257)]),
    );
    let routes = named(&map["maps"], "Receive.routes");
    has(
        "Receive.routes",
        key_of(
            &routes["layout"],
            &[("hdr.ipv4.dst", 0x0a00_0180)],
            Some(25),
        ),
        value_of(routes, "Receive.via", &[("next_hop", 258)]),
    );
    has(
        "Receive.routes",
        key_of(
            &routes["layout"],
            &[("hdr.ipv4.dst", 0xc000_0200)],
            Some(24),
        ),
        value_of(routes, "Receive.drop", &[]),
    );
    let hops = named(&map["maps"], "Receive.next_hops");
    let arguments = [
        ("port", 259),
        ("src", 0x0200_0000_0001),
        ("dst", 0x0a0b_0c0d_0e0f),
    ];
    has(
        "Receive.next_hops",
        key_of(&hops["layout"], &[("meta.next_hop", 258)], None),
        value_of(hops, "Receive.send", &arguments),
    );
    // P4Info's numbers, and the same places in the README and the header.
    let send = named(&hops["layout"]["value"]["actions"], "Receive.send");
    let (number, dst) = (&send["number"], named(&send["parameters"], "dst"));
    let info = hardpath(&["p4info", "programs/p4/l2l3.p4"]).stdout;
    assert!(info.contains(&format!("id: {}", send["id"])), "{send:#}");
    let words = texts.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        format!("action {number}: `Receive.send` (P4Info id {})", send["id"]),
        format!("L2L3_MAP_RECEIVE_NEXT_HOPS_ACTION_RECEIVE_SEND {number} "),
        format!(
            "L2L3_MAP_RECEIVE_NEXT_HOPS_VALUE_RECEIVE_SEND_DST_LO {} ",
            dst["lo"]
        ),
    ] {
        assert!(words.contains(&said), "{said}\n{texts}");
    }
}

/// The same of keys of several fields: a prefix behind another field, and masks with a priority.
#[test]
fn keys_of_several_fields_are_written_as_the_address_map_says() {
    let entries_of = |map: &Value| {
        let mut maps = map["maps"].as_array().unwrap().iter();
        let found = maps.find(|map| map["layout"]["holds"] == "entries");
        found.unwrap()["layout"].clone()
    };
    let only_key = |held: &Value, layout: &Value| {
        let mut maps = held.as_object().unwrap().iter();
        let name = layout["name"].as_str().unwrap();
        maps.find(|(map, _)| *map == name).unwrap().1[0]["key"].clone()
    };
    let entries = "table_add t set 1 0xf0/4 => 2\n";
    let (map, held, _) = map_and_contents("tests/stf/table-lpm-and-exact.p4", entries);
    let layout = entries_of(&map);
    let key = key_of(&layout, &[("hdr.h.a", 1), ("hdr.h.b", 0xf0)], Some(4));
    assert_eq!(only_key(&held, &layout), written(&key), "{layout:#}");

    let entries = "table_add t set 0x10&&&0xf0 3->9 5 => 7 10\n";
    let (map, held, texts) = map_and_contents("tests/stf/table-mixed-added.p4", entries);
    let layout = entries_of(&map);
    let own = &layout["key"];
    let fields = [("hdr.h.a", 0x10), ("hdr.h.b", 3), ("hdr.h.c", 5)];
    let mut key = key_of(&layout, &fields, None);
    let masks = [("hdr.h.a", 0xf0), ("hdr.h.b", 9), ("hdr.h.c", 0xf)];
    let place = |name: &str| own["unused"][name].as_u64().unwrap();
    let unused = ((1u128 << place("width")) - 1) << place("lo");
    put(
        &mut key,
        &own["masks"],
        at_fields(&own["fields"], &masks) + unused,
    );
    // On BMv2's command line the smallest number wins.
    let plus = own["priority"]["plus"].as_u64().unwrap();
    put(&mut key, &own["priority"], u128::from(plus - 10));
    assert_eq!(only_key(&held, &layout), written(&key), "{layout:#}");
    assert!(texts.contains("the highest one wins"), "{texts}");
}

/// Tests of a program on all that runs them.
fn pass_everywhere(program: &str, test: &str, more: &[&str]) {
    for engine in [&["--engine", "interpreter"][..], &[], &["--target", "core"]] {
        let arguments = ["stf", program, test];
        let run = hardpath(&[&arguments[..], engine, more].concat());
        assert_eq!(run.status, 0, "{engine:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("1 passed"), "{}", run.stdout);
    }
}

/// Whoever has an architecture of his own says what it does in a file: one that programs include, or one beside them.
#[test]
fn architectures_are_added_by_a_file() {
    let folder = root().join("programs/p4/architecture");
    let test = folder.join("allowlist.stf");
    pass_everywhere(path(&folder.join("allowlist.p4")), path(&test), &[]);

    let place = tempfile::tempdir().unwrap();
    let of = |name: &str| place.path().join(name);
    let guard = fs::read_to_string(folder.join("guard.p4")).unwrap();
    let (declared, described) = guard.split_once("// What the architecture does").unwrap();
    let (declared, described) = (
        format!("{declared}#endif\n").replace("#include <hardpath_architecture.p4>\n", ""),
        format!("//{}", described.replace("#endif\n", "")),
    );
    assert!(!declared.contains("hardpath_"), "{declared}");
    fs::write(of("guard.p4"), declared).unwrap();
    fs::copy(folder.join("allowlist.p4"), of("allowlist.p4")).unwrap();
    fs::write(of("does.p4"), &described).unwrap();
    let (program, does) = (of("allowlist.p4"), of("does.p4"));
    pass_everywhere(path(&program), path(&test), &["--arch", path(&does)]);
    // Named beside a program that includes it already.
    let guard = folder.join("guard.p4");
    let program = folder.join("allowlist.p4");
    pass_everywhere(path(&program), path(&test), &["--arch", path(&guard)]);
}

/// What is said where nobody has described it, or somebody has described another one.
#[test]
fn architectures_that_are_not_described() {
    let place = tempfile::tempdir().unwrap();
    let of = |name: &str| place.path().join(name);
    let text = "#include <core.p4>\ncontrol C(packet_in p);\npackage Own(C c);\ncontrol D(packet_in p) { apply { } }\nOwn(D()) main;\n";
    fs::write(of("own.p4"), text).unwrap();
    let program = of("own.p4");
    let told = |arguments: &[&str]| {
        let run = hardpath(&[&["ir", path(&program)], arguments].concat());
        assert_ne!(run.status, 0);
        run.stderr
    };
    let unknown = told(&[]);
    assert!(unknown.contains("what a `Own` does"), "{unknown}");
    assert!(unknown.contains("@hardpath_package(\"Own\")"), "{unknown}");
    fs::write(of("none.p4"), "control X() { apply { } }\n").unwrap();
    let none = told(&["--arch", path(&of("none.p4"))]);
    assert!(none.contains("describes no architecture"), "{none}");
    let guard = root().join("programs/p4/architecture/guard.p4");
    let other = told(&["--arch", path(&guard)]);
    assert!(
        other.contains("describes Guarded, and the program makes a `Own`"),
        "{other}"
    );
    let missing = told(&["--arch", path(&of("missing.p4"))]);
    assert!(missing.contains("missing.p4"), "{missing}");
}
