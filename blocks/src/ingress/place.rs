//! Where in its packet a beat is.

use super::Ingress;
use hardpath_rtl::{Module, Node};
use std::collections::{BTreeMap, BTreeSet};

/// Where in its packet the present beat is. Registers know it before the beat comes: a compare of its number would be
/// the beginning of the longest path.
pub(super) struct Place {
    /// Whether the present beat is behind this one, for all that somebody asks about; until the packet ends, even when
    /// the number has begun again because the packet is far too long.
    pub(super) behind: BTreeMap<u32, Node>,
}

impl Place {
    pub(super) fn of_beats(
        m: &mut Module,
        config: &Ingress,
        (beat_number, valid, last): (Node, Node, Node),
    ) -> Place {
        let beat = config.beat_bytes;
        let most_beats = config.most_beats();
        let ahead = config.ahead.map_or(0, |ahead| ahead.beats);
        let mut beats: BTreeSet<u32> = (0..config.window_beats.max(ahead)).collect();
        beats.insert(most_beats - 1);
        if config.ahead.is_some() {
            beats.insert(most_beats);
        }
        for byte in [config.longest, config.shortest.saturating_sub(1)] {
            beats.extend((byte / beat).saturating_sub(1)..=byte / beat);
        }
        let goes_on = m.not(last);
        let mut behind = BTreeMap::new();
        for beat in beats {
            let (reg, node) = m.reg_reset(format!("behind_beat_{beat}"), 1, 0);
            let next = match beat.checked_sub(1).map(|before| behind.get(&before)) {
                None => goes_on,
                Some(Some(reached)) => m.and(&[*reached, goes_on]),
                Some(None) => {
                    let at = m.eq_const(beat_number, u64::from(beat));
                    let reached = m.or(&[node, at]);
                    m.and(&[reached, goes_on])
                }
            };
            m.set_next_when(reg, valid, next);
            behind.insert(beat, node);
        }
        Place { behind }
    }

    /// Whether the present beat is this one.
    pub(super) fn at(&self, m: &mut Module, beat: u32) -> Node {
        let not_behind = m.not(self.behind[&beat]);
        match beat {
            0 => not_behind,
            _ => m.and(&[self.behind[&(beat - 1)], not_behind]),
        }
    }

    /// Whether the packet has a byte `index` (from 0), seen at its last beat.
    pub(super) fn reaches(&self, m: &mut Module, keep: Node, index: u32) -> Node {
        let lanes = m.width(keep);
        let beat = index / lanes;
        let lane = m.bit(keep, index % lanes);
        let within = match beat {
            0 => lane,
            _ => m.and(&[self.behind[&(beat - 1)], lane]),
        };
        m.or(&[self.behind[&beat], within])
    }
}
