//! Programs that more than one test runs.

use crate::assembly::*;
use hardpath_ebpf::{Insn, Object};

/// The packet's length goes into its first four bytes.
pub fn length_in_packet() -> Object {
    object(
        vec![],
        &[
            packet_in_r6(14),
            load(WORD, 2, 1, 4),
            copy(3, 2),
            load(WORD, 4, 1, 0),
            // sub r3, r4
            vec![Insn {
                code: 0x1f,
                dst: 3,
                src: 4,
                off: 0,
                imm: 0,
            }],
            store(WORD, 6, 0, 3),
            set(0, 2),
            exit(),
        ],
    )
}

/// Byte 0 of the packet: 1 inserts the key in byte 1 with value 7, else deletes it. r0 goes into the packet.
pub fn insert_or_delete() -> Object {
    object(
        vec![object_map("flows", HASH, 4, 8, 2)],
        &[
            packet_in_r6(14),
            load(BYTE, 1, 6, 1),
            store(WORD, 10, -4, 1),
            store_imm(DOUBLE, 10, -16, 7),
            copy(2, 10),
            add(2, -4),
            load(BYTE, 4, 6, 0),
            map(1, 0),
            jump_imm(EQUAL, 4, 1, 2),
            call(MAP_DELETE),
            // ja over the insert
            jump_imm(0, 0, 0, 4),
            copy(3, 10),
            add(3, -16),
            set(4, 0),
            call(MAP_UPDATE),
            store(DOUBLE, 6, 0, 0),
            set(0, 2),
            exit(),
        ],
    )
}

/// Time, random number and CPU go into the packet.
pub fn time_random_and_cpu() -> Object {
    object(
        vec![],
        &[
            packet_in_r6(24),
            call(KTIME_GET_NS),
            store(DOUBLE, 6, 0, 0),
            call(GET_PRANDOM_U32),
            store(DOUBLE, 6, 8, 0),
            call(GET_SMP_PROCESSOR_ID),
            store(DOUBLE, 6, 16, 0),
            set(0, 2),
            exit(),
        ],
    )
}

/// Ingress interface and queue go into the packet.
pub fn interface_and_queue() -> Object {
    object(
        vec![],
        &[
            packet_in_r6(14),
            load(WORD, 2, 1, 12),
            store(WORD, 6, 0, 2),
            load(WORD, 2, 1, 16),
            store(WORD, 6, 4, 2),
            set(0, 2),
            exit(),
        ],
    )
}

/// Redirects to the ifindex and with the flags that the packet names.
pub fn redirect() -> Object {
    object(
        vec![],
        &[
            packet_in_r6(14),
            load(WORD, 1, 6, 0),
            load(WORD, 2, 6, 4),
            call(REDIRECT),
            exit(),
        ],
    )
}

/// Byte 0 of the packet chooses the map, bytes 4.. are key and flags. Both maps reach one call.
pub fn redirect_through_one_of_two_maps() -> Object {
    object(
        vec![
            object_map("left", DEVMAP, 4, 4, 4),
            object_map("right", DEVMAP, 4, 8, 4),
        ],
        &[
            packet_in_r6(14),
            load(BYTE, 4, 6, 0),
            load(WORD, 2, 6, 4),
            load(WORD, 3, 6, 8),
            map(1, 0),
            jump_imm(EQUAL, 4, 0, 2),
            map(1, 1),
            call(REDIRECT_MAP),
            exit(),
        ],
    )
}

/// Writes the fourteenth byte and sends the packet back.
pub fn write_last_byte() -> Object {
    object(
        vec![],
        &[
            packet_in_r6(14),
            store_imm(BYTE, 6, 13, 0xee),
            set(0, 3),
            exit(),
        ],
    )
}

/// Redirects through a devmap to the key that the packet begins with.
pub fn redirect_through_map(flags: i32) -> Object {
    object(
        vec![object_map("ports", DEVMAP, 4, 8, 4)],
        &[
            packet_in_r6(14),
            load(WORD, 2, 6, 0),
            map(1, 0),
            set(3, flags),
            call(REDIRECT_MAP),
            exit(),
        ],
    )
}

/// Puts stack bytes that nobody wrote, and some that one path wrote, into the packet.
pub fn read_unwritten_stack() -> Object {
    object(
        vec![],
        &[
            packet_in_r6(20),
            load(BYTE, 1, 6, 0),
            jump_imm(EQUAL, 1, 0, 1),
            store(BYTE, 10, -20, 1),
            load(DOUBLE, 2, 10, -24),
            store(DOUBLE, 6, 0, 2),
            load(WORD, 2, 10, -512),
            store(WORD, 6, 8, 2),
            load(DOUBLE, 2, 10, -16),
            store(DOUBLE, 6, 12, 2),
            set(0, 2),
            exit(),
        ],
    )
}
