//! The entrance of a hazard window: packets wait while an older one with the same key is inside.

use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// The packet at the head of the segment FIFO.
    pub struct InterlockIn {
        head_uses: one "the head reads or writes the map",
        head_tag: one "stands for its key",
        enter: one "the head enters the window's first stage for good in this clock",
        /// With [`Interlock::waits_for_all`].
        head_waits_for_all: maybe "whatever their keys are",
    }
}

signals! {
    /// What the entrance says.
    pub struct InterlockOut { blocks: one "the head must wait" }
}

/// What an interlock must know.
pub struct Interlock {
    /// Name of the module.
    pub name: String,
    /// Bits of the tag that stands for the key: equal keys have equal tags.
    pub tag_bits: u32,
    /// Clocks for which a packet keeps those with the same tag out: what it wrote reaches a packet that enters later.
    pub window: u32,
    /// Some packets must wait until everyone who entered so many clocks before, or less, has written.
    pub waits_for_all: Option<u32>,
}

/// The gate behind the segment FIFO.
pub fn interlock(config: &Interlock) -> Block<InterlockIn, InterlockOut> {
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Entrance of a hazard window of {} clocks.\n\
             The packet at the head of the segment FIFO must wait while an older packet with the same tag is inside:\n\
             one that entered less than {} clocks ago. Equal keys have equal tags; different keys rarely do.",
            config.window,
            config.window + 1
        ),
    );
    let inputs = m.inputs(InterlockIn {
        head_uses: 1,
        head_tag: config.tag_bits,
        enter: 1,
        head_waits_for_all: config.waits_for_all.map(|_| 1),
    });
    let InterlockIn {
        head_uses,
        head_tag,
        enter,
        head_waits_for_all,
    } = inputs;
    let for_all = head_waits_for_all.zip(config.waits_for_all);
    let places = config.window.max(config.waits_for_all.unwrap_or(0));

    m.section("Packets inside the window, the youngest first");
    let mut conflicts: Vec<Node> = Vec::new();
    let (mut inside, mut tag) = (m.and(&[enter, head_uses]), head_tag);
    for place in 1..=places {
        inside = m.delay_reset(format!("inside_{place}"), inside);
        let mut meets = Vec::new();
        if place <= config.window {
            tag = m.delay(format!("tag_{place}"), tag);
            meets.push(m.eq(tag, head_tag));
        }
        if let Some((for_all, _)) = for_all.filter(|(_, clocks)| place <= *clocks) {
            meets.push(for_all);
        }
        let meets = m.or(&meets);
        let conflict = m.and(&[inside, meets]);
        conflicts.push(conflict);
    }
    let conflict = m.or(&conflicts);
    let blocks = m.and(&[head_uses, conflict]);
    m.into_block(inputs, InterlockOut { blocks })
}
