//! The port table: which interface an ingress port is.

use crate::{Packet, Sideband};

/// What the table says of a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Port {
    /// Number of the interface.
    pub interface: u32,
    /// Number of the port's first queue among those of the interface.
    pub first_queue: u32,
}

/// The ports from 0 on. One that the table does not have is that of a design whose table nobody has filled: zeros.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ports(pub Vec<Port>);

/// Queues are numbered in 16 bits.
const QUEUES: u32 = 1 << 16;

impl Ports {
    /// Ports of these interfaces, each with a queue 0 of its own.
    pub fn of_interfaces(interfaces: impl IntoIterator<Item = u32>) -> Ports {
        let ports = interfaces.into_iter().map(|interface| Port {
            interface,
            first_queue: 0,
        });
        Ports(ports.collect())
    }

    /// What the table says of a port.
    pub fn get(&self, port: u8) -> Port {
        self.0.get(usize::from(port)).copied().unwrap_or_default()
    }

    /// What a program sees beside a packet that comes in at one of the ports.
    pub fn sideband(&self, packet: &Packet) -> Sideband {
        let port = self.get(packet.port);
        Sideband {
            ingress: port.interface,
            queue: port.first_queue.wrapping_add(u32::from(packet.queue)) % QUEUES,
            egress: packet.egress,
            time_ns: packet.time_ns,
            random: packet.random,
            own: packet.own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_an_interface_with_queues() {
        let ports = Ports(vec![
            Port::default(),
            Port {
                interface: 7,
                first_queue: 0xfff0,
            },
        ]);
        let packet = Packet {
            port: 1,
            queue: 0x12,
            egress: 3,
            time_ns: 4,
            random: 5,
            own: 6,
            ..Packet::default()
        };
        let seen = Sideband {
            ingress: 7,
            queue: 2,
            egress: 3,
            time_ns: 4,
            random: 5,
            own: 6,
        };
        assert_eq!(ports.sideband(&packet), seen);
        let elsewhere = Packet { port: 2, ..packet };
        assert_eq!(ports.sideband(&elsewhere).ingress, 0);
        assert_eq!(Ports::of_interfaces([5, 6]).get(1).interface, 6);
    }
}
