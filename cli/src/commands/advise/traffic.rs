//! What comes: the packets of captures, or made ones; those of many flows, and of one.

use crate::arguments::AdviseArguments;
use crate::packets;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;
use hardpath_packet::{Packet, Ports};
use hardpath_testbed::capture::{self, Captured};
use hardpath_testbed::pace::bits_on_line;
use hardpath_testbed::traffic::{generate, TrafficOptions};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Packets of a run, where captures have more.
const MOST: usize = 20_000;
/// Packets and flows, where there is no capture.
const MADE: (usize, u32) = (4000, 1000);
/// Packets of the one flow.
const OF_ONE_FLOW: usize = 2000;

pub struct Traffic {
    pub many: Vec<Packet>,
    /// Those of the flow that has the most, again and again.
    pub one: Vec<Packet>,
    /// Those of `many`, as the capture has them.
    pub captured: Vec<Captured>,
    pub flows: usize,
    /// The interface that they come in at.
    pub ifindex: u32,
    /// They come from captures.
    pub is_given: bool,
    pub line_megabits: u32,
    /// Million packets of these lengths a second that the line brings.
    pub needed_mpps: f64,
}

impl Traffic {
    /// # Errors
    /// `unknown-pace`; those of captures; `no-packets`.
    pub fn new(arguments: &AdviseArguments, program: &Program) -> Result<Traffic, Vec<Diagnostic>> {
        let one = |error: Diagnostic| vec![error];
        let line_megabits = arguments.line_megabits().map_err(one)?;
        let made = tempfile::tempdir().map_err(|error| {
            let message = format!("there is no temporary folder: {error}");
            one(Diagnostic::input("cannot-write", message))
        })?;
        let is_given = !arguments.pcap.is_empty();
        let pcap = match is_given {
            true => arguments.pcap.clone(),
            false => {
                let file = made.path().join("traffic.pcapng");
                let (packets, flows) = MADE;
                let packets = generate(&TrafficOptions {
                    packets,
                    flows,
                    seed: super::SEED,
                    ..TrafficOptions::default()
                });
                capture::write(&file, &packets.map_err(one)?).map_err(one)?;
                vec![file]
            }
        };
        let run = arguments.run(pcap);
        let mut many: Vec<Packet> = Vec::new();
        let mut captured = Vec::new();
        for packet in packets::open(&run, program)?.take(MOST) {
            let packet = packet.map_err(one)?;
            if packet.enters() {
                captured.push(Captured {
                    data: packet.data().to_vec(),
                    time_ns: packet.captured_ns,
                    comment: None,
                });
                many.push(Borrow::<Packet>::borrow(&packet).clone());
            }
        }
        if many.is_empty() {
            let message = "the captures have no packet that enters a program";
            let error = Diagnostic::input("no-packets", message);
            return Err(one(error.help(
                "give a capture with Ethernet frames of 14 to 9,216 bytes, or leave --pcap out",
            )));
        }
        let flows = by_flow(&many);
        let most = flows.values().max_by_key(|packets| packets.len());
        let most = most.expect("there are packets");
        let again = most.iter().cycle().take(OF_ONE_FLOW);
        let bits: u64 = many
            .iter()
            .map(|packet| bits_on_line(packet.data.len()))
            .sum();
        Ok(Traffic {
            one: again.map(|number| many[*number].clone()).collect(),
            flows: flows.len(),
            ifindex: arguments.ifindex,
            needed_mpps: f64::from(line_megabits) * many.len() as f64 / bits as f64,
            many,
            captured,
            is_given,
            line_megabits,
        })
    }

    /// The port that all come in at.
    pub fn ports(&self) -> Ports {
        Ports::of_interfaces([self.ifindex])
    }
}

/// The numbers of the packets of each flow.
fn by_flow(packets: &[Packet]) -> BTreeMap<Vec<u8>, Vec<usize>> {
    let mut flows: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (number, packet) in packets.iter().enumerate() {
        flows.entry(flow(&packet.data)).or_default().push(number);
    }
    flows
}

/// What packets of one flow have alike: protocol, addresses and ports of IPv4 and IPv6 behind any tags, else the Ethernet header.
fn flow(frame: &[u8]) -> Vec<u8> {
    let mut at = 12;
    while let Some([0x81, 0x00] | [0x88, 0xa8]) = frame.get(at..at + 2) {
        at += 4;
    }
    let ip = frame.get(at + 2..).unwrap_or_default();
    let parts = match (frame.get(at..at + 2), ip.first().map(|first| first >> 4)) {
        (Some([0x08, 0x00]), Some(4)) => {
            let ports = usize::from(ip[0] & 15) * 4;
            [ip.get(9..10), ip.get(12..20), ip.get(ports..ports + 4)]
        }
        (Some([0x86, 0xdd]), Some(6)) => [ip.get(6..7), ip.get(8..40), ip.get(40..44)],
        _ => [frame.get(..14), None, None],
    };
    parts.into_iter().flatten().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_a_flow_have_the_same_ends() {
        let mut frame = vec![0; 12];
        frame.extend([8, 0, 0x45, 0, 0, 50, 0, 0, 0, 0, 64, 17, 1, 2]);
        frame.extend([10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 0]);
        let mut tagged = frame.clone();
        tagged.splice(12..12, [0x81, 0, 0, 1]);
        assert_eq!(flow(&frame), flow(&tagged));
        let mut other = frame.clone();
        other[22] = 3;
        assert_eq!(flow(&frame), flow(&other), "another time to live");
        other[36] = 3;
        assert_ne!(flow(&frame), flow(&other), "another port");
        // No IP, and too short for anything.
        assert!(flow(&frame[..20]).is_empty());
        assert_eq!(flow(&[1; 14]), [1; 14]);
        assert!(flow(&[1; 3]).is_empty());
    }
}
