//! Who gets a packet that is broadcast: the hardware against a kernel that really sends. A test run of the kernel sends
//! nothing, so here the program is attached to interfaces, in namespaces that end with the thread that made them.

use crate::common::{compile_source, path};
use hardpath_ebpf::{LoadOptions, Object};
use hardpath_ir::maps::{Entries, Image};
use hardpath_packet::Packet;
use hardpath_testbed::host::{self, Host};
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{run, RunOptions};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// For experiments (IEEE 802): nobody else sends it.
const ETHER_TYPE: u16 = 0x88b5;
/// Where programs and maps have names; the thread mounts its own there.
const BPF: &str = "/sys/fs/bpf";
/// Interfaces of the switch: `p0`, `p1`, … with these indices and on; their other ends are `q0`, `q1`, ….
const FIRST_INTERFACE: u32 = 101;
const INTERFACES: u32 = 4;
const PACKETS: u32 = 120;
/// Nothing came for so long: nothing will.
const QUIET: Duration = Duration::from_millis(300);
const AT_MOST: Duration = Duration::from_secs(10);

/// For each packet the interfaces that it left at, sorted, and its bytes there.
type Left = Vec<Vec<(u32, Vec<u8>)>>;

#[test]
fn a_broadcast_reaches_whom_the_kernel_sends_it_to() {
    let Some((_place, object)) = compile_source("programs", "flood") else {
        return;
    };
    let Some((_other_place, pass)) = compile_source("cli/tests/command/data", "pass") else {
        return;
    };
    for ports in [&[0, 1, 2, 3][..], &[1, 3], &[]] {
        let image = image(ports);
        let expected = hardware(&object, &image);
        let copies: usize = expected.iter().map(Vec::len).sum();
        assert!(
            ports.is_empty() || copies > PACKETS as usize / 2,
            "{copies} copies"
        );
        for mode in ["xdpdrv", "xdpgeneric"] {
            let (object, pass, image) = (object.clone(), pass.clone(), image.clone());
            let live = std::thread::spawn(move || kernel(&object, &pass, &image, mode));
            let Some(got) = live.join().expect("the kernel's side ends") else {
                return;
            };
            for (number, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let packet = packet(number as u32);
                let interfaces =
                    |all: &[(u32, Vec<u8>)]| all.iter().map(|one| one.0).collect::<Vec<_>>();
                assert!(
                    got == expected,
                    "{mode}, ports {ports:?}, packet {number} at port {} to {:02x?}: the kernel {:?}, hardware {:?}",
                    packet.port,
                    &packet.data[..6],
                    interfaces(got),
                    interfaces(expected),
                );
            }
        }
    }
}

/// Packet `number`: to a known station, a group, or a station that nobody knows.
fn packet(number: u32) -> Packet {
    let mut data = match number % 7 {
        5 => vec![0x01, 0x00, 0x5e, 0, 0, 1],
        6 => vec![0x02, 0, 0, 0, 1, number as u8],
        known => vec![0x02, 0, 0, 0, 0, known as u8],
    };
    data.extend([0x02, 0, 0, 0, 2, 0]);
    data.extend(ETHER_TYPE.to_be_bytes());
    data.extend(number.to_le_bytes());
    data.resize(60 + (number as usize * 37) % 900, number as u8);
    Packet {
        data,
        port: (number / 7 % INTERFACES) as u8,
        ..Packet::default()
    }
}

/// Stations 0 to 3 are behind the interfaces of their number, station 4 is behind one that the switch does not have.
fn image(ports: &[u32]) -> Image {
    let index = |number: u32| (FIRST_INTERFACE + number).to_le_bytes().to_vec();
    let stations: Entries = (0..=INTERFACES)
        .map(|number| (vec![0x02, 0, 0, 0, 0, number as u8], index(number)))
        .collect();
    let ports: Entries = ports.iter().map(|at| (index(*at), index(*at))).collect();
    Image::from([("stations".into(), stations), ("ports".into(), ports)])
}

fn hardware(object: &Path, image: &Image) -> Left {
    let bytes = std::fs::read(object).expect("it was compiled");
    let object: Object =
        hardpath_ebpf::load(&bytes, "flood.o", &LoadOptions::default()).expect("an object of ours");
    let program = object.choose(None).expect("one program");
    let program = hardpath_ebpf::lift(&object, program).expect("a program of ours");
    let compiled = hardpath_pipeline::compile(program, &hardpath_pipeline::Options::default())
        .expect("a program of ours");
    let interface = &compiled.interface;
    let mut native = Native::new(&compiled.design).expect("a sound design");
    host::reset(&mut native, interface).expect("it answers");
    let mut host = Host::new(&mut native, interface).expect("the ports");
    for port in 0..INTERFACES {
        host.set_port(&mut native, port as u8, FIRST_INTERFACE + port, 0)
            .expect("a port");
    }
    host.load_image(&mut native, image).expect("it fits");
    let packets: Vec<Packet> = (0..PACKETS).map(packet).collect();
    let options = RunOptions::default();
    let result = run(&mut native, interface, &packets, &options).expect("a sound design");
    let outcomes = result.outcomes.into_iter().map(|outcome| {
        let outcome = outcome.expect("it entered");
        let copies = outcome.copies.into_iter();
        let mut all: Vec<_> = copies.map(|copy| (copy.index, copy.data)).collect();
        all.sort();
        all
    });
    outcomes.collect()
}

/// The same in the kernel, in namespaces of this thread's own; `None`: it may not make them, and the environment does
/// not say that it must.
fn kernel(object: &Path, pass: &Path, image: &Image, mode: &str) -> Option<Left> {
    // SAFETY: changes nothing but the calling thread's namespaces.
    if unsafe { libc::unshare(libc::CLONE_NEWNET | libc::CLONE_NEWNS) } != 0 {
        let error = io::Error::last_os_error();
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_KERNEL").is_none(),
            "no namespaces: {error}"
        );
        eprintln!("not tested, there are no namespaces: {error}");
        return None;
    }
    // What is mounted here is seen by nobody else.
    tool("mount", &["--make-rprivate", "/"]);
    tool("mount", &["-t", "bpf", "bpf", BPF]);
    // Silence; a kernel without IPv6 is silent anyway.
    let _ = std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    for number in 0..INTERFACES {
        let index = (FIRST_INTERFACE + number).to_string();
        let (near, far) = (format!("p{number}"), format!("q{number}"));
        let add = ["link", "add", &near, "index", &index, "type", "veth"];
        tool("ip", &[&add[..], &["peer", "name", &far]].concat());
        tool("ip", &["link", "set", "dev", &near, "up"]);
        tool("ip", &["link", "set", "dev", &far, "up"]);
    }
    let (flood, maps) = (format!("{BPF}/flood"), format!("{BPF}/maps"));
    let load = ["prog", "load", path(object), &flood, "type", "xdp"];
    tool("bpftool", &[&load[..], &["pinmaps", &maps]].concat());
    let (passes, none) = (format!("{BPF}/pass"), ["type", "xdp"]);
    tool(
        "bpftool",
        &[&["prog", "load", path(pass), &passes][..], &none].concat(),
    );
    for (map, entries) in image {
        for (key, value) in entries {
            let bytes = |all: &[u8]| all.iter().map(u8::to_string).collect::<Vec<String>>();
            let map = format!("{maps}/{map}");
            let mut update = vec!["map", "update", "pinned", &map, "key"];
            let (key, value) = (bytes(key), bytes(value));
            update.extend(key.iter().map(String::as_str));
            update.push("value");
            update.extend(value.iter().map(String::as_str));
            tool("bpftool", &update);
        }
    }
    for number in 0..INTERFACES {
        let attach = |pinned: &str, mode: &str, device: String| {
            tool(
                "bpftool",
                &["net", "attach", mode, "pinned", pinned, "dev", &device],
            );
        };
        attach(&flood, mode, format!("p{number}"));
        if mode == "xdpdrv" {
            // A veth takes frames from a redirect only if its other end runs a program, too.
            attach(&passes, mode, format!("q{number}"));
        }
    }
    Some(exchange())
}

/// Sends every packet in at its port and collects what comes out at the others.
fn exchange() -> Left {
    let sockets: Vec<OwnedFd> = (0..INTERFACES)
        .map(|number| open(&format!("q{number}")))
        .collect();
    let mut left: BTreeMap<u32, Vec<(u32, Vec<u8>)>> = BTreeMap::new();
    for number in 0..PACKETS {
        let packet = packet(number);
        let socket = sockets[usize::from(packet.port)].as_raw_fd();
        // SAFETY: the bytes are those of the slice.
        let sent = unsafe { libc::send(socket, packet.data.as_ptr().cast(), packet.data.len(), 0) };
        assert_eq!(
            sent,
            packet.data.len() as isize,
            "{}",
            io::Error::last_os_error()
        );
        // Queues of a veth pair are short.
        std::thread::sleep(Duration::from_millis(1));
    }
    let begin = Instant::now();
    let mut last = begin;
    while last.elapsed() < QUIET && begin.elapsed() < AT_MOST {
        for (number, socket) in (0..).zip(&sockets) {
            let mut bytes = vec![0; 2048];
            let (at, size) = (bytes.as_mut_ptr().cast(), bytes.len());
            // SAFETY: the buffer has as many bytes as are said.
            let got = unsafe { libc::recv(socket.as_raw_fd(), at, size, libc::MSG_DONTWAIT) };
            let Ok(got) = usize::try_from(got) else {
                continue;
            };
            last = Instant::now();
            bytes.truncate(got);
            let name = bytes[14..18].try_into().expect("four bytes");
            let copies = left.entry(u32::from_le_bytes(name)).or_default();
            copies.push((FIRST_INTERFACE + number, bytes));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut all: Left = (0..PACKETS)
        .map(|number| left.remove(&number).unwrap_or_default())
        .collect();
    for copies in &mut all {
        copies.sort();
    }
    assert!(left.is_empty(), "packets that nobody sent: {left:?}");
    all
}

/// A socket for whole frames of our type at an interface.
fn open(interface: &str) -> OwnedFd {
    let protocol = ETHER_TYPE.to_be();
    // SAFETY: gives a new descriptor or −1.
    let socket = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW, i32::from(protocol)) };
    assert!(socket >= 0, "{}", io::Error::last_os_error());
    // SAFETY: nobody else has it.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    let name = std::ffi::CString::new(interface).expect("no zeros");
    // SAFETY: zeros are an address without meaning, the name ends with a zero.
    let (mut address, index) = unsafe {
        let address: libc::sockaddr_ll = std::mem::zeroed();
        (address, libc::if_nametoindex(name.as_ptr()))
    };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol;
    address.sll_ifindex = index as i32;
    let size = size_of::<libc::sockaddr_ll>() as u32;
    let at = (&raw const address).cast();
    // SAFETY: the address has the size that is said.
    let bound = unsafe { libc::bind(socket.as_raw_fd(), at, size) };
    assert_eq!(bound, 0, "{interface}: {}", io::Error::last_os_error());
    socket
}

fn tool(name: &str, arguments: &[&str]) {
    let output = Command::new(name).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{name}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {arguments:?}: {said}");
}
