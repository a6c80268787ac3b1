//! Packets that commands send, and what has to come out.

use super::{wrong, Engine, Run};
use crate::interpreter::{Outcome, Way};
use hardpath_diagnostic::{Diagnostic, Place};
use std::collections::VecDeque;

/// Nanoseconds in front of each packet.
const PERIOD: u64 = 1_000_000;

impl<E: Engine> Run<'_, E> {
    pub(super) fn packet(
        &mut self,
        port: u32,
        bytes: &[u8],
        place: &Place,
    ) -> Result<(), Diagnostic> {
        self.pass(PERIOD, place)?;
        self.packets += 1;
        let Outcome {
            way,
            bytes,
            messages,
        } = self.engine.packet(port, bytes, self.time)?;
        let packet = self.packets;
        let messages = messages.into_iter().map(|message| (packet, message));
        self.messages.extend(messages);
        let out = match way {
            Way::Nowhere => return Ok(()),
            Way::Port(port) => port,
            Way::Back => port,
            // To the host: a test sees it where it came in.
            Way::Host(_) => port,
        };
        self.seen.entry(out).or_default().push_back(bytes);
        Ok(())
    }

    /// Nothing has left so far but what commands before this one expect.
    pub(super) fn nothing_more(&mut self, place: &Place) {
        for (port, seen) in &mut self.seen {
            let expected = self.expected.get(port).map_or(0, VecDeque::len);
            let more = seen.split_off(expected.min(seen.len()));
            for packet in more {
                let message = format!(
                    "no packet was to leave, and out of port {port} came {}",
                    hex(&packet)
                );
                self.failures.push(wrong(place, message));
            }
        }
    }

    /// What came out beside what had to.
    pub(super) fn compare(&mut self) {
        // Where nothing is expected, anything may leave; a packet that is missed may be there.
        let unasked = |port: &u32| !self.expected.contains_key(port);
        let mut seen = self.seen.iter().filter(|(port, _)| unasked(port));
        let elsewhere = seen.find_map(|(port, seen)| {
            let packet = hex(seen.front()?);
            Some(format!("out of port {port} came {packet}"))
        });
        for (port, expected) in &mut self.expected {
            let seen = self.seen.entry(*port).or_default();
            for (place, packet) in expected.drain(..) {
                match (seen.pop_front(), packet) {
                    (None, _) => {
                        let message = format!("no packet came out of port {port}");
                        let error = wrong(&place, message);
                        self.failures.push(match &elsewhere {
                            Some(elsewhere) => error.help(elsewhere.as_str()),
                            None => error,
                        });
                    }
                    (Some(seen), Some(packet)) if !packet.takes(&seen) => {
                        let message = format!("out of port {port} came {}", hex(&seen));
                        let error = wrong(&place, message);
                        self.failures.push(error.help(packet.unlike(&seen)));
                    }
                    _ => {}
                }
            }
            for more in seen.drain(..) {
                let message = format!(
                    "out of port {port} came what nobody expected: {}",
                    hex(&more)
                );
                self.failures
                    .push(Diagnostic::input("p4-commands", message));
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
