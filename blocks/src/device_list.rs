//! The devices that a map holds, for packets that are sent to all of them.
//!
//! Only the host writes device maps. What it wrote lies in a list, sorted by key, of which there are two copies. A change
//! is merged into the copy that is not in use, while packets go on. Then the host's operation passes the pipeline, with
//! the entrance closed behind it; if the map took the change, the copies change places in that very moment for all
//! packets that enter from now on, while those that are inside still see the list of before. So each packet sees the
//! list as it was when the packet entered, which is the map at its place in the order of packets and operations.

use crate::answer::ANSWER_BITS;
use crate::index_bits;
use crate::interface::command;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Mem, MemStyle, Module, Node, Reg};

/// What the list must know.
pub struct DeviceList {
    /// Name of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Entries of the map.
    pub entries: u32,
    /// Bits of the number of packets inside.
    pub flight_bits: u32,
    /// Bits of a value from the host: at least 32.
    pub value_bits: u32,
}

impl DeviceList {
    /// Bits of the place of a device in the list.
    pub fn index_bits(entries: u32) -> u32 {
        index_bits(u64::from(entries))
    }

    fn widths(&self) -> DeviceListIn<u32> {
        DeviceListIn {
            selected: 1,
            map_start: 1,
            inject: 1,
            map_done: 1,
            map_answer: ANSWER_BITS,
            host_command: 3,
            host_key: 32,
            host_value: self.value_bits,
            in_flight: self.flight_bits,
            packet_left: 1,
            index: DeviceList::index_bits(self.entries),
            read: 1,
        }
    }
}

/// Lists of at most this many words are LUT RAM.
const LUT_RAM_WORDS: u32 = 128;

signals! {
    /// Into the list.
    pub struct DeviceListIn {
        selected: one "the command is for this map",
        map_start: one "strobe: a command begins",
        inject: one "strobe: it enters the pipeline",
        map_done: one "strobe: it is over",
        map_answer: one "done: the map took it",
        /// What the host does: one of [`command`].
        host_command: one "",
        host_key: one "stands still, as the value does",
        host_value: one "begins with the device",
        in_flight: one "packets that entered and have not left",
        packet_left: one "strobe: one of them leaves",
        index: one "the place that the exit reads",
        /// The exit reads at `index` in this clock.
        read: one "",
    }
}

signals! {
    /// Out of the list.
    pub struct DeviceListOut {
        prepared: one "the next list is made",
        hold: one "the entrance takes nothing in",
        count: one "devices in the list of the packet at the exit",
        device: one "of the place that was read, from the next clock on",
    }
}

/// One map's list.
pub fn device_list(config: &DeviceList) -> Block<DeviceListIn, DeviceListOut> {
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "The devices in map {}, at most {}, by ascending key: for packets that are sent to all of them.\n\
             Two copies: one in use, one for the host's next change. Packets that entered before a change see the list\n\
             of before. A change waits until no packet that sees the other copy is inside, and closes the entrance\n\
             while it passes the pipeline.",
            config.map, config.entries
        ),
    );
    let bits = DeviceList::index_bits(config.entries);
    let inputs = m.inputs(config.widths());

    let owners = owners(&mut m, bits, config.flight_bits);
    let change = change(&mut m, &inputs, owners.see_before);
    let copies = Copies {
        depth_bits: bits,
        current: owners.current.1,
        count: owners.count.1,
        see_before: owners.see_before,
    };
    let merged = merge(&mut m, &inputs, &change, &copies);
    let shown = change_places(&mut m, &inputs, &owners, &change, merged.count);
    let outputs = DeviceListOut {
        prepared: change.prepared,
        hold: change.holds,
        count: shown,
        device: merged.device,
    };
    m.into_block(inputs, outputs)
}

/// Which copy is whose: registers, and what they hold.
struct Owners {
    /// The copy for packets that enter now, and the devices in it.
    current: (Reg, Node),
    count: (Reg, Node),
    /// The devices in the other copy, and the packets inside that see it.
    count_before: (Reg, Node),
    seeing_before: (Reg, Node),
    /// There are such packets.
    see_before: Node,
}

fn owners(m: &mut Module, index_bits: u32, flight_bits: u32) -> Owners {
    m.section("Which copy is whose");
    let current = m.reg_reset("current_copy", 1, 0);
    let count = m.reg_reset("current_count", index_bits + 1, 0);
    let count_before = m.reg_reset("count_before", index_bits + 1, 0);
    let seeing_before = m.reg_reset("packets_that_see_before", flight_bits, 0);
    let see_before = m.reduce_or(seeing_before.1);
    m.name(see_before, "see_before");
    Owners {
        current,
        count,
        count_before,
        seeing_before,
        see_before,
    }
}

/// The next list, of `count_next` devices, comes into use when the map has taken the change. Gives the devices in the list of the
/// packet at the exit.
fn change_places(
    m: &mut Module,
    inputs: &DeviceListIn,
    owners: &Owners,
    change: &Change,
    count_next: Node,
) -> Node {
    m.section("The copies change places");
    let see_before = owners.see_before;
    let (current_reg, current) = owners.current;
    let (count_reg, count) = owners.count;
    let (before_reg, count_before) = owners.count_before;
    let (left_reg, seeing_before) = owners.seeing_before;
    let success = m.eq_const(inputs.map_answer, 0);
    let taken = m.and(&[change.changing, inputs.map_done, success]);
    m.name(taken, "taken");
    let other = m.not(current);
    m.set_next_when(current_reg, taken, other);
    m.set_next_when(count_reg, taken, count_next);
    m.set_next_when(before_reg, taken, count);
    let leaving = m.zext(inputs.packet_left, m.width(seeing_before));
    let inside = m.sub(inputs.in_flight, leaving);
    let fewer = m.sub_const(seeing_before, 1);
    let left_next = m.mux(taken, inside, fewer);
    let leaves = m.and(&[inputs.packet_left, see_before]);
    let left_changes = m.or(&[taken, leaves]);
    m.set_next_when(left_reg, left_changes, left_next);
    let shown = m.mux(see_before, count_before, count);
    let twice = m.and(&[taken, see_before]);
    let once = m.not(twice);
    m.assert(
        "copy_is_free",
        once,
        "device list: a change came while packets still saw the copy for it",
    );
    shown
}

/// The host's change on its way.
struct Change {
    is_update: Node,
    changing: Node,
    /// The next list is made: strobe in the clock before, meanwhile, and a wire for the last clock.
    starts: Node,
    building: Node,
    finished: Node,
    prepared: Node,
    holds: Node,
}

fn change(m: &mut Module, inputs: &DeviceListIn, see_before: Node) -> Change {
    m.section("The host's change");
    let is_update = m.eq_const(inputs.host_command, u64::from(command::UPDATE));
    let is_delete = m.eq_const(inputs.host_command, u64::from(command::DELETE));
    let is_change = m.or(&[is_update, is_delete]);
    // Command registers are written in the clock of the strobe.
    let (begins_reg, begins) = m.reg_reset("begins", 1, 0);
    let begins_next = m.and(&[inputs.map_start, inputs.selected]);
    m.set_next(begins_reg, begins_next);
    let begins = m.and(&[begins, is_change]);
    let (changing_reg, changing) = m.reg_reset("changing", 1, 0);
    let not_done = m.not(inputs.map_done);
    let still_changing = m.and(&[changing, not_done]);
    let changing_next = m.or(&[begins, still_changing]);
    m.set_next(changing_reg, changing_next);
    let (waits_reg, waits) = m.reg_reset("waits", 1, 0);
    let waits_next = m.and(&[waits, see_before]);
    let waits_next = m.or(&[begins, waits_next]);
    m.set_next(waits_reg, waits_next);
    let not_seen = m.not(see_before);
    let starts = m.and(&[waits, not_seen]);
    let finished = m.wire(1, "finished");
    let (building_reg, building) = m.reg_reset("building", 1, 0);
    let not_finished = m.not(finished);
    let goes_on = m.and(&[building, not_finished]);
    let building_next = m.or(&[starts, goes_on]);
    m.set_next(building_reg, building_next);
    let busy = m.or(&[begins, waits, building]);
    let prepared = m.not(busy);
    let (holds_reg, holds) = m.reg_reset("holds", 1, 0);
    let enters = m.and(&[inputs.inject, changing]);
    let still_holds = m.and(&[holds, not_done]);
    let holds_next = m.or(&[enters, still_holds]);
    m.set_next(holds_reg, holds_next);
    Change {
        is_update,
        changing,
        starts,
        building,
        finished,
        prepared,
        holds,
    }
}

/// The two copies of the list.
struct Copies {
    /// Bits of a place in one of them.
    depth_bits: u32,
    /// The one that is in use, and its devices.
    current: Node,
    count: Node,
    see_before: Node,
}

/// The copy that is not in use, with the change.
struct Merged {
    count: Node,
    device: Node,
}

/// The change as an entry.
struct Entry {
    inserts: Node,
    device: Node,
}

/// An entry of the list in use, read for the merge.
struct Old {
    there: Node,
    /// There is none any more.
    at_end: Node,
    key: Node,
    device: Node,
    /// A wire: it is used up.
    takes: Node,
}

/// Merges the change into the other copy, one entry a clock.
fn merge(m: &mut Module, inputs: &DeviceListIn, change: &Change, copies: &Copies) -> Merged {
    m.section("The next list: entries in front of the key, the change, entries behind it");
    let bits = copies.depth_bits;
    let depth = 2 << bits;
    let style = match depth <= LUT_RAM_WORDS {
        true => MemStyle::Distributed,
        false => MemStyle::Block,
    };
    let entries = m.mem("entries", 64, depth, style);
    let devices = m.mem("devices", 32, depth, style);
    let device = m.slice(inputs.host_value, 0, 32);
    // An array entry without device is an absent one.
    let some_device = m.reduce_or(device);
    let entry = Entry {
        inserts: m.and(&[change.is_update, some_device]),
        device,
    };
    let (write_reg, write_index) = m.reg("merge_write_index", bits + 1);
    let old = read_old(m, change, copies, entries);
    let (insert, copy) = insert_or_copy(m, inputs.host_key, (change, &entry), &old);

    let writes = m.or(&[insert, copy]);
    let new_key = m.mux(insert, inputs.host_key, old.key);
    let new_device = m.mux(insert, entry.device, old.device);
    let word = m.concat(&[new_key, new_device]);
    let other = m.not(copies.current);
    let low = m.slice(write_index, 0, bits);
    let to = m.concat(&[other, low]);
    m.mem_write(entries, to, word, writes);
    m.mem_write(devices, to, new_device, writes);
    let zero = m.zero(bits + 1);
    let next_write = m.add_const(write_index, 1);
    let write_next = m.mux(change.starts, zero, next_write);
    let write_moves = m.or(&[change.starts, writes]);
    m.set_next_when(write_reg, write_moves, write_next);

    m.section("The exit reads");
    let copy = m.xor(&[copies.current, copies.see_before]);
    let address = m.concat(&[copy, inputs.index]);
    Merged {
        count: write_index,
        device: m.mem_read_sync(devices, address, inputs.read),
    }
}

/// The list in use, entry after entry.
fn read_old(m: &mut Module, change: &Change, copies: &Copies, entries: Mem) -> Old {
    let bits = copies.depth_bits;
    let (read_reg, read_index) = m.reg("merge_read_index", bits + 1);
    let (there_reg, there) = m.reg_reset("entry_valid", 1, 0);
    let takes = m.wire(1, "takes");
    let more = m.ult(read_index, copies.count);
    let free = m.not(there);
    let can_read = m.or(&[free, takes]);
    let reads = m.and(&[change.building, more, can_read]);
    let low = m.slice(read_index, 0, bits);
    let from = m.concat(&[copies.current, low]);
    let entry = m.mem_read_sync(entries, from, reads);
    m.name(entry, "entry");
    let not_taken = m.not(takes);
    let stays = m.and(&[there, not_taken]);
    let there_next = m.or(&[reads, stays]);
    m.set_next(there_reg, there_next);
    let zero = m.zero(bits + 1);
    let next_read = m.add_const(read_index, 1);
    let read_next = m.mux(change.starts, zero, next_read);
    let read_moves = m.or(&[change.starts, reads]);
    m.set_next_when(read_reg, read_moves, read_next);
    let no_more = m.not(more);
    Old {
        there,
        at_end: m.and(&[free, no_more]),
        key: m.slice(entry, 32, 32),
        device: m.slice(entry, 0, 32),
        takes,
    }
}

/// Whether the change is written in this clock, or the old entry. Drives the end of the merge.
fn insert_or_copy(
    m: &mut Module,
    host_key: Node,
    (change, entry): (&Change, &Entry),
    old: &Old,
) -> (Node, Node) {
    let (inserted_reg, inserted) = m.reg("inserted", 1);
    let before = m.ult(old.key, host_key);
    let same = m.eq(old.key, host_key);
    let not_before = m.not(before);
    let here = m.and(&[old.there, not_before]);
    let place = m.or(&[here, old.at_end]);
    let not_inserted = m.not(inserted);
    let insert = m.and(&[change.building, entry.inserts, not_inserted, place]);
    m.name(insert, "insert");
    let other_key = m.not(same);
    let no_insert = m.not(insert);
    let copy = m.and(&[old.there, other_key, no_insert]);
    let replaced = m.and(&[old.there, same]);
    let taken = m.or(&[copy, replaced]);
    m.drive(old.takes, taken);
    let starts_without = m.not(change.starts);
    let inserted_next = m.or(&[insert, inserted]);
    let inserted_next = m.and(&[inserted_next, starts_without]);
    m.set_next(inserted_reg, inserted_next);
    let no_insert_due = m.not(entry.inserts);
    let change_is_in = m.or(&[no_insert_due, inserted]);
    let ends = m.and(&[change.building, old.at_end, change_is_in]);
    m.drive(change.finished, ends);
    (insert, copy)
}
