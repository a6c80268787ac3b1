//! The packet that gets a thread, as its program wants it.

use super::super::{of_bank, reach_of};
use super::{Loops, Top};
use crate::hardware::packets::intake::{Descriptor, IntakeOut};
use crate::hardware::threads::ThreadsOut;
use hardpath_rtl::Node;

pub(super) struct Entering {
    /// It does, in this clock.
    pub enters: Node,
    pub thread: Node,
    pub descriptor: Descriptor,
    /// How far its memory reaches behind its first byte.
    pub reach: Node,
    /// Lines in front of it.
    pub front_lines: Node,
}

impl Top<'_> {
    pub(super) fn entering(
        &mut self,
        threads: &ThreadsOut,
        intake: &IntakeOut,
        loops: &Loops,
    ) -> Entering {
        let m = &mut *self.m;
        let descriptor = intake.descriptor.clone();
        let bank = descriptor.packet_bank;
        let settings = &loops.settings;
        let tail = of_bank(m, settings, bank, |settings| settings.tail);
        Entering {
            enters: threads.packet_ready,
            thread: threads.packet_thread,
            reach: reach_of(m, tail, descriptor.packet_length),
            front_lines: of_bank(m, settings, bank, |settings| settings.front_lines),
            descriptor,
        }
    }
}
