//! The devices that a map holds, for packets that are sent to all of them.
//!
//! Only the host writes device maps. What it wrote lies in a list, sorted by key, of which there are two copies. A change
//! is merged into the copy that is not in use, while packets go on. Then the host's operation passes the pipeline, with
//! the entrance closed behind it; if the map took the change, the copies change places in that very moment for all
//! packets that enter from now on, while those that are inside still see the list of before. So each packet sees the
//! list as it was when the packet entered, which is the map at its place in the order of packets and operations.

use crate::errno::ERRNO_BITS;
use crate::index_bits;
use crate::interface::command;
use hardpath_rtl::{MemStyle, Module, Node};

/// What the list must know.
pub struct DeviceList {
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
}

/// Lists of at most this many words are LUT RAM.
const LUT_RAM_WORDS: u32 = 128;

/// Ports: `selected` (the host's command is for this map), `map_start`, `inject`, `map_done`, `map_errno`, `host_command`,
/// `host_key` and `host_value` from the host port; `in_flight` (packets that entered and have not left) and `packet_left`;
/// `prepared` and `hold` to the host port and the entrance. The exit gives `index` and `read`; `count` belongs to the
/// packet that is at the exit, `ifindex` comes in the clock after `read` and stays until the next one.
pub fn device_list(config: &DeviceList) -> Module {
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
    let selected = m.input("selected", 1, "the command is for this map");
    let map_start = m.input("map_start", 1, "strobe: a command begins");
    let inject = m.input("inject", 1, "strobe: it enters the pipeline");
    let map_done = m.input("map_done", 1, "strobe: it is over");
    let map_errno = m.input("map_errno", ERRNO_BITS, "0: the map took it");
    let host_command = m.input("host_command", 3, "");
    let host_key = m.input("host_key", 32, "stands still, as the value does");
    let host_value = m.input("host_value", config.value_bits, "begins with the ifindex");
    let in_flight = m.input("in_flight", config.flight_bits, "packets inside");
    let packet_left = m.input("packet_left", 1, "strobe: one of them leaves");
    let index = m.input("index", bits, "the place that the exit reads");
    let read = m.input("read", 1, "");

    m.section("Which copy is whose");
    let (current_reg, current) = m.reg_reset("current_copy", 1, 0);
    let (count_reg, count) = m.reg_reset("current_count", bits + 1, 0);
    let (before_reg, count_before) = m.reg_reset("count_before", bits + 1, 0);
    let (left_reg, seeing_before) = m.reg_reset("packets_that_see_before", config.flight_bits, 0);
    let see_before = m.reduce_or(seeing_before);
    m.name(see_before, "see_before");

    m.section("The host's change");
    let is_update = m.eq_const(host_command, u64::from(command::UPDATE));
    let is_delete = m.eq_const(host_command, u64::from(command::DELETE));
    let is_change = m.or(&[is_update, is_delete]);
    // Command registers are written in the clock of the strobe.
    let (begins_reg, begins) = m.reg_reset("begins", 1, 0);
    let begins_next = m.and(&[map_start, selected]);
    m.set_next(begins_reg, begins_next);
    let begins = m.and(&[begins, is_change]);
    let (changing_reg, changing) = m.reg_reset("changing", 1, 0);
    let not_done = m.not(map_done);
    let still_changing = m.and(&[changing, not_done]);
    let changing_next = m.or(&[begins, still_changing]);
    m.set_next(changing_reg, changing_next);
    let (waits_reg, waits) = m.reg_reset("waits", 1, 0);
    let waits_next = m.and(&[waits, see_before]);
    let waits_next = m.or(&[begins, waits_next]);
    m.set_next(waits_reg, waits_next);
    let not_seen = m.not(see_before);
    let builds = m.and(&[waits, not_seen]);
    let finished = m.wire(1, "finished");
    let (building_reg, building) = m.reg_reset("building", 1, 0);
    let not_finished = m.not(finished);
    let goes_on = m.and(&[building, not_finished]);
    let building_next = m.or(&[builds, goes_on]);
    m.set_next(building_reg, building_next);
    let busy = m.or(&[begins, waits, building]);
    let prepared = m.not(busy);
    m.output("prepared", prepared, "the next list is made");
    let (holds_reg, holds) = m.reg_reset("holds", 1, 0);
    let enters = m.and(&[inject, changing]);
    let still_holds = m.and(&[holds, not_done]);
    let holds_next = m.or(&[enters, still_holds]);
    m.set_next(holds_reg, holds_next);
    m.output("hold", holds, "the entrance takes nothing in");
    let next_count = merge(
        &mut m,
        config,
        Merge {
            starts: builds,
            building,
            finished,
            current,
            count,
            is_update,
            key: host_key,
            value: host_value,
            see_before,
            index,
            read,
        },
    );

    m.section("The copies change places");
    let success = m.eq_const(map_errno, 0);
    let taken = m.and(&[changing, map_done, success]);
    m.name(taken, "taken");
    let other = m.not(current);
    m.set_next_when(current_reg, taken, other);
    m.set_next_when(count_reg, taken, next_count);
    m.set_next_when(before_reg, taken, count);
    let leaving = m.zext(packet_left, config.flight_bits);
    let inside = m.sub(in_flight, leaving);
    let fewer = m.sub_const(seeing_before, 1);
    let left_next = m.mux(taken, inside, fewer);
    let leaves = m.and(&[packet_left, see_before]);
    let left_changes = m.or(&[taken, leaves]);
    m.set_next_when(left_reg, left_changes, left_next);
    let shown = m.mux(see_before, count_before, count);
    m.output(
        "count",
        shown,
        "devices in the list of the packet at the exit",
    );
    let twice = m.and(&[taken, see_before]);
    let once = m.not(twice);
    m.assert(
        "copy_is_free",
        once,
        "device list: a change came while packets still saw the copy for it",
    );
    m
}

/// What the merge works on.
struct Merge {
    /// Strobe, in the clock before `building`.
    starts: Node,
    building: Node,
    /// A wire: the last clock of `building`.
    finished: Node,
    current: Node,
    count: Node,
    is_update: Node,
    key: Node,
    value: Node,
    see_before: Node,
    index: Node,
    read: Node,
}

/// Merges the change into the other copy, one entry a clock. Gives how many entries there are then.
fn merge(m: &mut Module, config: &DeviceList, ports: Merge) -> Node {
    m.section("The next list: entries in front of the key, the change, entries behind it");
    let bits = DeviceList::index_bits(config.entries);
    let depth = 2 << bits;
    let style = match depth <= LUT_RAM_WORDS {
        true => MemStyle::Distributed,
        false => MemStyle::Block,
    };
    let entries = m.mem("entries", 64, depth, style);
    let devices = m.mem("devices", 32, depth, style);
    let ifindex = m.slice(ports.value, 0, 32);
    // An array entry without device is an absent one.
    let some_device = m.reduce_or(ifindex);
    let inserts = m.and(&[ports.is_update, some_device]);
    let (read_reg, read_index) = m.reg("merge_read_index", bits + 1);
    let (write_reg, write_index) = m.reg("merge_write_index", bits + 1);
    let (there_reg, there) = m.reg_reset("entry_valid", 1, 0);
    let (inserted_reg, inserted) = m.reg("inserted", 1);
    let zero = m.zero(bits + 1);

    let takes = m.wire(1, "takes");
    let more = m.ult(read_index, ports.count);
    let free = m.not(there);
    let can_read = m.or(&[free, takes]);
    let reads = m.and(&[ports.building, more, can_read]);
    let low = m.slice(read_index, 0, bits);
    let from = m.concat(&[ports.current, low]);
    let entry = m.mem_read_sync(entries, from, reads);
    m.name(entry, "entry");
    let not_taken = m.not(takes);
    let stays = m.and(&[there, not_taken]);
    let there_next = m.or(&[reads, stays]);
    m.set_next(there_reg, there_next);
    let next_read = m.add_const(read_index, 1);
    let read_next = m.mux(ports.starts, zero, next_read);
    let read_moves = m.or(&[ports.starts, reads]);
    m.set_next_when(read_reg, read_moves, read_next);

    let key = m.slice(entry, 32, 32);
    let before = m.ult(key, ports.key);
    let same = m.eq(key, ports.key);
    let not_before = m.not(before);
    let here = m.and(&[there, not_before]);
    let no_more = m.not(more);
    let at_end = m.and(&[free, no_more]);
    let place = m.or(&[here, at_end]);
    let not_inserted = m.not(inserted);
    let insert = m.and(&[ports.building, inserts, not_inserted, place]);
    m.name(insert, "insert");
    let other_key = m.not(same);
    let no_insert = m.not(insert);
    let copy = m.and(&[there, other_key, no_insert]);
    let replaced = m.and(&[there, same]);
    let taken = m.or(&[copy, replaced]);
    m.drive(takes, taken);
    let starts_without = m.not(ports.starts);
    let inserted_next = m.or(&[insert, inserted]);
    let inserted_next = m.and(&[inserted_next, starts_without]);
    m.set_next(inserted_reg, inserted_next);

    let writes = m.or(&[insert, copy]);
    let device = m.slice(entry, 0, 32);
    let new_key = m.mux(insert, ports.key, key);
    let new_device = m.mux(insert, ifindex, device);
    let word = m.concat(&[new_key, new_device]);
    let other = m.not(ports.current);
    let low = m.slice(write_index, 0, bits);
    let to = m.concat(&[other, low]);
    m.mem_write(entries, to, word, writes);
    m.mem_write(devices, to, new_device, writes);
    let next_write = m.add_const(write_index, 1);
    let write_next = m.mux(ports.starts, zero, next_write);
    let write_moves = m.or(&[ports.starts, writes]);
    m.set_next_when(write_reg, write_moves, write_next);
    let no_insert_due = m.not(inserts);
    let change_is_in = m.or(&[no_insert_due, inserted]);
    let ends = m.and(&[ports.building, at_end, change_is_in]);
    m.drive(ports.finished, ends);

    m.section("The exit reads");
    let copy = m.xor(&[ports.current, ports.see_before]);
    let address = m.concat(&[copy, ports.index]);
    let device = m.mem_read_sync(devices, address, ports.read);
    m.output("ifindex", device, "of the place that was read");
    write_index
}
