//! The packets of a run: those of all captures, one after the other, with what enters beside their bytes.

use crate::arguments::{RunArguments, TimeSource};
use hardpath_ir::interpreter::PacketContext;
use hardpath_ir::Diagnostic;
use hardpath_testbed::capture;

/// A packet and where it came from.
pub struct Packet {
    /// Index into the captures on the command line.
    pub capture: usize,
    /// In its capture, from 1, as Wireshark counts.
    pub number: usize,
    pub data: Vec<u8>,
    /// Of the capture, whatever the program sees as time.
    pub captured_ns: u64,
    pub context: PacketContext,
}

/// Reads all captures. Reports what is wrong with each of them.
pub fn read(arguments: &RunArguments) -> Result<Vec<Packet>, Vec<Diagnostic>> {
    let mut packets = Vec::new();
    let mut errors = Vec::new();
    for (capture, path) in arguments.pcap.iter().enumerate() {
        match capture::read(path) {
            Ok(captured) => {
                for (index, captured) in captured.into_iter().enumerate() {
                    let context = context(arguments, packets.len(), captured.time_ns);
                    packets.push(Packet {
                        capture,
                        number: index + 1,
                        data: captured.data,
                        captured_ns: captured.time_ns,
                        context,
                    });
                }
            }
            Err(error) => errors.push(error),
        }
    }
    match errors.is_empty() {
        true => Ok(packets),
        false => Err(errors),
    }
}

fn context(arguments: &RunArguments, index: usize, captured_ns: u64) -> PacketContext {
    PacketContext {
        ingress_ifindex: arguments.ifindex,
        rx_queue_index: u32::from(arguments.queue),
        egress_ifindex: arguments.egress_ifindex,
        time_ns: match arguments.time {
            TimeSource::Capture => captured_ns,
            TimeSource::Steps { start, step } => {
                start.wrapping_add(step.wrapping_mul(index as u64))
            }
        },
        random: random(index),
    }
}

/// The packet's random number: the same in every run, so that runs can be compared. A 64-bit mix (splitmix64, from
/// Steele, Lea and Flood, OOPSLA 2014) of the packet's place.
fn random(index: usize) -> u32 {
    let mut bits = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) as u32
}

#[cfg(test)]
mod tests {
    use super::random;

    #[test]
    fn random_numbers_differ() {
        let numbers: std::collections::BTreeSet<u32> = (0..1000).map(random).collect();
        assert_eq!(numbers.len(), 1000);
    }
}
