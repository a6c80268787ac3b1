//! Packets that leave several times: through all devices of a map, and as further copies.

use crate::core::{rows, Core};
use hardpath_blocks::interface::command;
use hardpath_core::hardware::processor::{copies, lacks};
use hardpath_core::image::Image;
use hardpath_core::interpreter::{self, MOST_ROWS};
use hardpath_ir::maps::Maps;
use hardpath_ir::{MapId, May};
use hardpath_packet::Sideband;
use hardpath_registers::register;
use hardpath_testkit::Random;

/// Interfaces of ports 0 to 3.
const INTERFACES: [u32; 4] = [5, 6, 7, 9];

/// A core and its interpreter, which sees the same.
struct Both<'a> {
    core: Core,
    beside: interpreter::Core<'a>,
    maps: Maps,
}

impl Both<'_> {
    fn new(image: &Image, threads: u8) -> Both<'_> {
        let mut core = Core::with(image, threads);
        for (port, interface) in (0..).zip(INTERFACES) {
            core.write(u64::from(register::PORT_TABLE) + 8 * port, interface.into());
        }
        Both {
            core,
            beside: interpreter::Core::new(image),
            maps: Maps::new(&image.maps),
        }
    }

    /// The host puts a device into a map, or takes out what is there.
    fn device(&mut self, map: u32, key: u32, device: Option<u32>) {
        let id = MapId::from_u32(map);
        let key_bytes = key.to_le_bytes();
        let number = match device {
            Some(device) => {
                self.maps
                    .update(id, &key_bytes, &device.to_le_bytes(), May::PUT);
                command::UPDATE
            }
            None => {
                self.maps.delete(id, &key_bytes);
                command::DELETE
            }
        };
        for (register, value) in [
            (register::MAP_SELECT, map),
            (register::MAP_MAY, 3),
            (register::KEY, key),
            (register::VALUE, device.unwrap_or(0)),
            (register::MAP_COMMAND, number),
        ] {
            self.core.write(register.into(), value.into());
        }
        let status = u64::from(register::MAP_STATUS);
        let over = (0..100).any(|_| self.core.read(status).0 >> 31 == 0);
        assert!(over, "the host's operation has no end");
    }

    /// Packets, each with its port: the same leaves, with the same beside it, and fates are the same.
    fn same(&mut self, packets: &[(usize, Vec<u8>)]) {
        self.core.out.clear();
        self.core.fates.clear();
        let (mut expected, mut fates) = (Vec::new(), Vec::new());
        for (port, packet) in packets {
            self.core.send_at(*port as u64, packet);
            let sideband = Sideband {
                ingress: INTERFACES[*port],
                ..Sideband::default()
            };
            let ran = self
                .beside
                .run(MOST_ROWS, &mut self.maps, packet, &sideband);
            let fate = ran.expect("an end").fate;
            fates.push(u64::from(!fate.copies.is_empty()) << 3 | fate.outputs[0]);
            let last = fate.copies.len().saturating_sub(1);
            for (number, copy) in fate.copies.into_iter().enumerate() {
                let destination = copy.class.code() << 32 | u64::from(copy.index);
                let again = u64::from(number < last);
                expected.push((destination, again << 3 | copy.outputs[0], copy.data));
            }
        }
        self.core.until_fates(packets.len());
        let out = std::mem::take(&mut self.core.out);
        let found = out.into_iter().map(|out| (out.dest, out.outputs, out.data));
        let found: Vec<(u64, u64, Vec<u8>)> = found.collect();
        for (number, (found, expected)) in std::iter::zip(&found, &expected).enumerate() {
            assert_eq!(found, expected, "what leaves as number {number}");
        }
        assert_eq!(found.len(), expected.len());
        assert_eq!(self.core.fates, fates);
    }
}

/// Byte 1 of a packet says where it goes (bits 3:2), which copies of it are sent (bits 6:4), and what flags it has (bits 1:0); bytes 4 to
/// 11 a way. Byte 0 is a key, as of which a number is counted: who has read it too early begins again, behind copies that it has sent.
const PROGRAM: &str = "core \"leaves\" lanes 4 registers 16 stack 0
output \"verdict\" 3
map @ports slots key 4 value 4 entries 4 broadcast
map @others exact key 4 value 4 entries 8 host-only broadcast
map @seen exact key 4 value 8 entries 16
row0:
    lane0: r0.0 = load packet[0] 4
    lane1: r1.0 = load packet[4] 8
row1:
    lane0: p1, p0 = compare any r0.0[12+:1], 1
    lane1: p3, p0 = compare any r0.0[13+:1], 1
    lane2: p4, p0 = compare any r0.0[14+:1], 1
    lane3: put exit[0], r1.0, 0x3001400140002
row2:
    lane0: (p1) send forward to class 1 with 5
    lane1: p5, p0 = compare eq r0.0[10+:2], 0
    lane2: p6, p0 = compare eq r0.0[10+:2], 1
    lane3: p7, p0 = compare eq r0.0[10+:2], 2
row3:
    lane0: p8, r0.1 = lookup @seen r0.0[0+:8]
    lane1: put exit[16], 0xa1b2c3
row4:
    lane0: put exit[4], r0.0[16+:3], 0
    lane1: (p3) send to buffer leaving
row5:
    lane0: (p4) send drop to buffer with 2 leaving
    lane1: (!p8) branch row8
row6:
    lane0: r0.3 = map.load @seen[r0.1[0+:32]] 8
row7:
    lane0: r0.2 = add 64 r0.3, 1
    lane1: store packet[16] 8, r0.3
    lane2: branch row9
row8:
    lane0: update @seen may 3 r0.0[0+:8], 1
    lane1: branch row10
row9:
    lane0: map.store @seen[r0.1[0+:32]] 8, r0.2
row10:
    lane0: put exit[2], r0.0[8+:2], 0
    lane1: (p5) exit to buffer with 1
    lane2: (p6) exit to class 1 with 4 each @ports
row11:
    lane0: (p7) exit to buffer leaving each @others
    lane1: exit forward to buffer with 3 leaving
";

fn packets(random: &mut Random, count: usize) -> Vec<(usize, Vec<u8>)> {
    let packet = |random: &mut Random| {
        let length = match random.below(8) {
            0 => 300,
            _ => 60 + random.below(70) as usize,
        };
        let mut packet: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        packet[0] = random.below(3) as u8;
        if random.below(2) == 0 {
            // No copy.
            packet[1] &= 0xf;
        }
        (random.below(4) as usize, packet)
    };
    (0..count).map(|_| packet(random)).collect()
}

#[test]
fn packets_leave_as_often_as_their_interpreter_says() {
    let image = rows(PROGRAM);
    for threads in [1, 2, 16, 32] {
        let mut random = Random::new(threads.into());
        let mut both = Both::new(&image, threads);
        for round in 0..8 {
            both.core.slow = (round % 2 == 1).then(|| Random::new(round));
            // First no device is in a list.
            for _ in 0..round {
                let device = (random.below(4) > 0).then(|| 4 + random.below(6) as u32);
                let (map, key) = (random.below(2) as u32, random.below(6) as u32);
                both.device(map, key, device);
            }
            both.same(&packets(&mut random, 60));
        }
    }
}

/// Sends a copy, and goes round for ever when byte 0 is 1.
const ROUND: &str = "core \"round\" lanes 2 registers 16 stack 0
output \"verdict\" 3
row0:
    lane0: r0.0 = load packet[0] 1
    lane1: send forward to class 1 with 4
row1:
    lane0: branch row1 if eq r0.0[0+:8], 1
row2:
    lane0: exit drop to back with 3
";

#[test]
fn of_a_program_that_is_cut_short_nothing_leaves() {
    let image = rows(ROUND);
    let mut core = Core::with(&image, 4);
    for first in [0, 1, 2, 1, 1, 0] {
        core.send(&[first; 60]);
    }
    core.until_fates(6);
    assert_eq!(core.fates, [0b1011, 0, 0b1011, 0, 0, 0b1011]);
    let firsts: Vec<u8> = core.out.iter().map(|out| out.data[0]).collect();
    assert_eq!(firsts, [0, 2, 0]);
}

#[test]
fn copies_are_counted_on_the_longest_way() {
    let send = "lane0: send forward to back with 1\n";
    let of = |rows: &[String]| {
        let rows = rows.iter().enumerate();
        let rows: String = rows
            .map(|(number, ops)| format!("row{number}:\n{ops}"))
            .collect();
        crate::core::rows(&format!(
            "core \"x\" lanes 2 registers 4 stack 0\noutput \"verdict\" 3\n{rows}"
        ))
    };
    let end = "lane0: exit drop to back with 1\n".to_string();
    let two_ways = of(&[
        "lane0: branch row2 if eq r0.0, 0\n".into(),
        send.to_string() + "lane1: exit drop to back with 1\n",
        send.into(),
        send.into(),
        end.clone(),
    ]);
    assert_eq!(copies::most(&two_ways), Some(2));
    let around = of(&[
        send.to_string() + "lane1: branch row0 if eq r0.0, 0\n",
        end.clone(),
    ]);
    assert_eq!(copies::most(&around), None);
    let (row, lane, what) = lacks(&around).expect("a unit");
    assert_eq!((row, lane), (0, 0));
    assert!(what.contains("further copies"), "{what}");
    // A loop that sends nothing is none of this.
    let beside = of(&[
        "lane0: branch row0 if eq r0.0, 0\n".into(),
        send.into(),
        end.clone(),
    ]);
    assert_eq!(copies::most(&beside), Some(1));
    let many = |count: usize| {
        let sends = vec![send.to_string(); count];
        of(&[sends, vec![end.clone()]].concat())
    };
    assert_eq!(copies::most(&many(15)), Some(15));
    assert_eq!(copies::most(&many(16)), None);
    assert_eq!(copies::most(&of(std::slice::from_ref(&end))), Some(0));
}
