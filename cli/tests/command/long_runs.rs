//! Captures of any length: they run in the same memory, and what is wrong at their end leaves nothing half done.

use crate::common::{hardpath, judge, object, path, root, Run};
use crate::packets::write_made;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// The longest that two runs' memory may differ, in KiB, whatever their captures' lengths.
const SLACK_KIB: i64 = 8 << 10;

/// The most memory in KiB that a run had at a time.
// wait4 waits, and says what `Child::wait` does not.
#[allow(clippy::zombie_processes)]
fn peak_memory(arguments: &[&str]) -> i64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(arguments)
        .current_dir(root())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    let mut said = String::new();
    let stdout = child.stdout.as_mut().expect("a pipe");
    stdout.read_to_string(&mut said).expect("output is UTF-8");
    let (mut status, pid) = (0, child.id() as libc::pid_t);
    // SAFETY: a usage of zeros is a valid one, and the child is nobody else's to wait for.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::wait4(pid, &mut status, 0, &mut usage), pid);
        usage
    };
    assert_eq!(libc::WEXITSTATUS(status), 0, "{said}");
    usage.ru_maxrss
}

/// A capture of packets that go out and those that try to come in, from a few hosts.
fn capture(file: &Path, packets: u32) {
    write_made(file, packets, |numbers| {
        let mut packet = vec![2; 12];
        packet.extend([8, 0, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0]);
        packet.extend([10, 0, 0, numbers.below(50) as u8]);
        packet.extend([192, 0, 2, numbers.below(4) as u8]);
        packet.extend([0x10, 0, 0, 53, 0, 26, 0, 0]);
        packet.resize(60, 0);
        packet
    });
}

#[test]
fn memory_does_not_grow_with_the_capture() {
    let place = tempfile::tempdir().unwrap();
    let files = [10_000, 200_000].map(|packets| {
        let file = place.path().join(format!("{packets}.pcap"));
        capture(&file, packets);
        file
    });
    let (object, judge) = (object("firewall"), judge());
    let out = place.path().join("out.pcapng");
    let bench = place.path().join("bench.txt");
    let runs = [
        &["sim", &object, "--out", path(&out)][..],
        &[
            "sim",
            &object,
            "--engine",
            "interpreter",
            "--out",
            path(&out),
        ],
        &["sim", &object, "--bench", path(&bench)],
        &["check", &object, "--against", judge, "--out", path(&out)],
    ];
    for arguments in runs {
        let [few, many] = files.each_ref().map(|file| {
            let all = [
                arguments,
                &[
                    "--pcap",
                    path(file),
                    "--maps",
                    "programs/firewall.maps.json",
                ],
            ];
            peak_memory(&all.concat())
        });
        assert!(
            many - few < SLACK_KIB,
            "{few} and {many} KiB: {arguments:?}"
        );
    }
}

/// Runs the good capture and behind it another one; what comes out goes to a folder where nothing else may be.
fn sim_with(second: &Path, folder: &Path) -> Run {
    hardpath(&[
        "sim",
        &object("listing1"),
        "--json",
        "--pcap",
        "programs/firewall.pcap",
        "--pcap",
        path(second),
        "--out",
        path(&folder.join("out.pcapng")),
        "--bench",
        path(&folder.join("bench.txt")),
        "--maps-out",
        path(&folder.join("maps.json")),
    ])
}

#[test]
fn damage_at_the_end_leaves_nothing_behind() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    let file = place.path().join("second.pcap");
    capture(&file, 1000);
    assert_eq!(sim_with(&file, &folder).status, 0);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    fs::remove_dir_all(&folder).unwrap();

    let whole = fs::read(&file).unwrap();
    let mut too_long = whole.clone();
    // The bytes that the last packet says it has.
    let at = too_long.len() - 60 - 8;
    too_long[at..at + 4].fill(0x7f);
    for (bytes, code) in [
        (&whole[..whole.len() - 1], "capture-truncated"),
        (&whole[..whole.len() - 70], "capture-truncated"),
        (&too_long, "capture-malformed"),
    ] {
        fs::write(&file, bytes).unwrap();
        let error = sim_with(&file, &folder).error(2, code);
        let place = error["place"].as_str().unwrap();
        assert!(place.ends_with("second.pcap: packet 1000"), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{code}");
    }
}

/// The capture that is read is there until the last packet was read.
#[test]
fn an_output_may_replace_the_capture() {
    let place = tempfile::tempdir().unwrap();
    let (file, other) = (place.path().join("in.pcap"), place.path().join("other"));
    capture(&file, 3000);
    let object = object("reflector");
    for command in [&["sim"][..], &["check", "--against", judge()]] {
        let run = |out: &Path| {
            let files = [&object, "--pcap", path(&file), "--out", path(out)];
            let run = hardpath(&[command, &files].concat());
            assert_eq!(run.status, 0, "{}", run.stderr);
        };
        run(&other);
        let expected = fs::read(&other).unwrap();
        let before = fs::read(&file).unwrap();
        run(&file);
        assert!(fs::read(&file).unwrap() == expected);
        fs::write(&file, before).unwrap();
    }
}

/// What can be seen before the first packet is said before the first packet, of all captures.
#[test]
fn captures_are_looked_at_first() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    let file = place.path().join("none.pcap");
    fs::write(&file, "no capture at all, but long enough to be one").unwrap();
    let missing = place.path().join("missing.pcap");
    let run = hardpath(&[
        "check",
        &object("listing1"),
        "--json",
        "--pcap",
        path(&file),
        "--pcap",
        path(&missing),
        "--out",
        path(&folder.join("out.pcapng")),
    ]);
    run.error(2, "not-a-capture");
    assert_eq!(run.json()["errors"][1]["code"], "capture-unreadable");
    assert!(!folder.exists());
}

/// Whatever ends a run, what it had written so far has no name yet.
#[test]
fn a_run_that_is_killed_leaves_nothing_behind() {
    // A file system on which files without a name are possible.
    let place = tempfile::tempdir_in("/dev/shm").unwrap();
    let (folder, pipe) = (place.path().join("out"), place.path().join("pipe"));
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let mut child = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(["sim", &object("listing1"), "--pcap", path(&pipe)])
        .args(["--out", path(&folder.join("out.pcapng"))])
        .current_dir(root())
        .spawn()
        .expect("the command can be started");
    // It is opened by both sides or by none: the run has begun then.
    let input = fs::File::options().write(true).open(&pipe).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// A pipe is read once and written to as it is.
#[test]
fn pipes_are_captures() {
    let arguments = "sim programs/prebuilt/listing1.o --json --pcap /dev/stdin --out /dev/stderr";
    let output = Command::new("sh")
        .args([
            "-c",
            &format!("cat programs/firewall.pcap | $0 {arguments}"),
        ])
        .arg(env!("CARGO_BIN_EXE_hardpath"))
        .current_dir(root())
        .output()
        .expect("there is a shell");
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("out.pcapng");
    let run = hardpath(&[
        "sim",
        &object("listing1"),
        "--json",
        "--pcap",
        "programs/firewall.pcap",
        "--out",
        path(&file),
    ]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), run.stdout);
    assert_eq!(output.stderr, fs::read(file).unwrap());
}

#[test]
fn progress_is_shown_where_it_is_asked_for() {
    let object = object("listing1");
    let plain = ["sim", &object, "--json", "--pcap", "programs/firewall.pcap"];
    let quiet = hardpath(&plain);
    assert_eq!(quiet.stderr, "");
    let run = hardpath(&[&plain[..], &["--progress"]].concat());
    assert_eq!(run.stdout, quiet.stdout);
    let line = run.stderr.lines().last().unwrap();
    assert!(line.starts_with("progress: 2,020 packets, "), "{line}");
    assert!(line.ends_with(" a second"), "{line}");
}

/// What the clocks of a run are spent for is its packets: not for clearing tables that are clear, nor for asking for what
/// stands in slots, most of them empty.
#[test]
fn no_clock_for_empty_slots() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("few.pcap");
    capture(&file, 60);
    let clocks = |run: &Run| run.json()["simulated_clocks"].as_u64().unwrap();
    for (program, slots) in [("nat", 262_144), ("suricata_like", 2 * 131_072)] {
        let object = format!("build/programs/{program}.o");
        let maps = place.path().join("maps.json");
        let arguments = [&object, "--json", "--pcap", path(&file)];
        let sim = hardpath(&[&["sim"][..], &arguments, &["--maps-out", path(&maps)]].concat());
        let check = hardpath(&[&["check"][..], &arguments, &["--against", judge()]].concat());
        for run in [sim, check] {
            assert_eq!(run.status, 0, "{}", run.stdout);
            assert!(
                clocks(&run) < 2_000,
                "{program} with {slots} slots: {}",
                run.stdout
            );
        }
    }
}
