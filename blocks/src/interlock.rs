//! The entrance of a hazard window: packets wait while an older one with the same key is inside.

use hardpath_rtl::{Module, Node};

/// What an interlock must know.
pub struct Interlock {
    pub name: String,
    /// Bits of the tag that stands for the key: equal keys have equal tags.
    pub tag_bits: u32,
    /// Clocks between the entrance and the commit: an older packet that entered less than that before is inside.
    pub window: u32,
    /// Some packets must wait for everyone inside.
    pub waits_for_all: bool,
}

/// The gate behind the segment FIFO.
///
/// Ports: `head_tag`, `head_uses` (the packet touches the map), `enter` (the head is in the window's first stage for
/// good in this clock), with [`Interlock::waits_for_all`] also `head_waits_for_all` → `blocks` (the head must wait).
pub fn interlock(config: &Interlock) -> Module {
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
    let head_uses = m.input("head_uses", 1, "the head reads or writes the map");
    let head_tag = m.input("head_tag", config.tag_bits, "stands for its key");
    let enter = m.input("enter", 1, "the head enters the window in this clock");
    let for_all = config
        .waits_for_all
        .then(|| m.input("head_waits_for_all", 1, "whatever their keys are"));

    m.section("Packets inside the window, the youngest first");
    let mut conflicts: Vec<Node> = Vec::new();
    let (mut inside, mut tag) = (m.and(&[enter, head_uses]), head_tag);
    for place in 1..=config.window {
        inside = m.delay_reset(format!("inside_{place}"), inside);
        tag = m.delay(format!("tag_{place}"), tag);
        let same = m.eq(tag, head_tag);
        let meets = match for_all {
            Some(for_all) => m.or(&[same, for_all]),
            None => same,
        };
        let conflict = m.and(&[inside, meets]);
        conflicts.push(conflict);
    }
    let conflict = m.or(&conflicts);
    let blocks = m.and(&[head_uses, conflict]);
    m.output("blocks", blocks, "the head must wait");
    m
}
