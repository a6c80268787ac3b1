//! Programs whose maps are hard to keep in order. Each shows what it saw in bytes 32 and on of the packet.

/// Where the parts of a packet are: `v1` the key, `v3` the operand, `v5` what to do, `v7` the second key; `v8` is 0 and
/// `v9` XDP_PASS, both 32 bits, and the result goes to offset `v10`.
const FRONT: &str = "
block0:
    v0:64 = const 0
    v1:32 \"key\" = packet.load v0
    v2:64 = const 8
    v3:64 \"operand\" = packet.load v2
    v4:64 = const 16
    v5:8 \"what\" = packet.load v4
    v6:64 = const 4
    v7:32 \"second\" = packet.load v6
    v8:32 = const 0
    v9:32 = const 2
    v10:64 = const 32
    v11:64 = const 1
    v12:64 = const 0
    v13:64 = const 40
";

fn program(maps: &str, body: &str) -> String {
    format!("program \"hazard\" xdp control-flow\n{maps}\n{FRONT}{body}")
}

/// An array whose entry `v1` becomes `new`, computed from the old word `v22`; the old word is shown.
fn array_step(entries: u32, new: &str) -> String {
    program(
        &format!("map @state array key 4 value 8 entries {entries}"),
        &format!(
            "
    v20:1 \"hit\", v21:32 = map.lookup @state v1
    branch v20, block1, block2
block1:
    v22:64 \"old\" = map.load @state v21, v8
{new}
    packet.store v10, v22
    emit v9, v8
block2:
    emit v9, v8
"
        ),
    )
}

/// `v = 2 v + 1`: no pure addition.
pub fn double(entries: u32) -> String {
    array_step(
        entries,
        "    v23:64 = shl v22, v11
    v24:64 = add v23, v11
    map.store @state v21, v8, v24",
    )
}

/// `v = max(v, operand)`.
pub fn maximum(entries: u32) -> String {
    array_step(
        entries,
        "    v23:1 = ult v22, v3
    v24:64 = select v23, v3, v22
    map.store @state v21, v8, v24",
    )
}

/// `if (v < operand) v = operand`: whether it is stored depends on the word.
pub fn conditional_store(entries: u32) -> String {
    program(
        &format!("map @state array key 4 value 8 entries {entries}"),
        "
    v20:1 \"hit\", v21:32 = map.lookup @state v1
    branch v20, block1, block3
block1:
    v22:64 \"old\" = map.load @state v21, v8
    v23:1 = ult v22, v3
    branch v23, block2, block3
block2:
    map.store @state v21, v8, v3
    packet.store v10, v22
    emit v9, v8
block3:
    v24:32 = const 1
    emit v24, v8
",
    )
}

/// Half of the word is replaced, the other half counts with an atomic whose result is used.
pub fn halves(entries: u32) -> String {
    array_step(
        entries,
        "    v23:32 = const 4
    v24:32 = slice v3, 0
    map.store @state v21, v23, v24
    v25:32 = const 1
    v26:32 = map.atomic add @state v21, v8, v25
    v27:64 = zext v26
    packet.store v13, v27",
    )
}

/// More arithmetic than a clock has room for.
pub fn long_arithmetic(entries: u32) -> String {
    array_step(
        entries,
        "    v23:64 = add v22, v3
    v24:64 = shl v23, v11
    v25:64 = xor v24, v22
    v26:64 = add v25, v23
    v27:64 = const 0x123456789abcdef
    v28:1 = ult v26, v27
    v29:64 = sub v27, v26
    v30:64 = select v28, v29, v26
    v31:64 = add v30, v22
    map.store @state v21, v8, v31",
    )
}

/// The same with a product.
pub fn product(entries: u32) -> String {
    array_step(
        entries,
        "    v23:16 = slice v22, 0
    v24:16 = slice v3, 0
    v25:16 = mul v23, v24
    v26:16 = const 3
    v27:16 = add v25, v26
    v28:64 = zext v27
    map.store @state v21, v8, v28",
    )
}

/// Two entries of one array are read, the first one is written.
pub fn two_entries(entries: u32) -> String {
    program(
        &format!("map @state array key 4 value 8 entries {entries}"),
        "
    v20:1, v21:32 = map.lookup @state v1
    branch v20, block1, block3
block1:
    v22:64 = map.load @state v21, v8
    v23:1, v24:32 = map.lookup @state v7
    branch v23, block2, block3
block2:
    v25:64 = map.load @state v24, v8
    v26:64 = add v22, v25
    v27:64 = add v26, v11
    map.store @state v21, v8, v27
    packet.store v10, v26
    emit v9, v8
block3:
    emit v9, v8
",
    )
}

/// One entry is read, a long time later another one is written whole: the packet holds the wrong key.
pub fn read_one_write_other() -> String {
    program(
        "map @state array key 4 value 8 entries 16",
        "
    v20:1, v21:32 = map.lookup @state v1
    branch v20, block1, block3
block1:
    v22:64 = map.load @state v21, v8
    v23:1, v24:32 = map.lookup @state v7
    branch v23, block2, block3
block2:
    v25:64 = add v22, v3
    v26:64 = xor v25, v22
    v27:64 = add v26, v25
    v28:64 = add v27, v22
    v29:64 = xor v28, v27
    v30:64 = add v29, v28
    map.store @state v24, v8, v30
    emit v9, v8
block3:
    emit v9, v8
",
    )
}

/// A hash's values change, its keys do not.
pub fn hash_values(entries: u32) -> String {
    program(
        &format!("map @flows hash key 4 value 16 entries {entries}"),
        "
    v20:1 \"hit\", v21:32 = map.lookup @flows v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @flows v21, v8
    v23:64 = add v22, v3
    map.store @flows v21, v8, v23
    v24:32 = const 8
    v25:64 = map.load @flows v21, v24
    v26:64 = xor v25, v22
    map.store @flows v21, v24, v26
    packet.store v10, v22
    packet.store v13, v25
    emit v9, v8
block2:
    v27:32 = const 3
    emit v27, v8
",
    )
}

/// What a key does depends on the packet: count it (insert when it is new), overwrite it with flags, delete it, or look.
pub fn hash_everything(entries: u32) -> String {
    program(
        &format!("map @flows hash key 4 value 8 entries {entries}"),
        "
    v20:1 \"hit\", v21:32 = map.lookup @flows v1
    v22:64 = map.load @flows v21, v8
    v23:8 = const 90
    v24:1 = ult v5, v23
    branch v24, block1, block4
block1:
    branch v20, block2, block3
block2:
    v25:64 = add v22, v11
    map.store @flows v21, v8, v25
    packet.store v10, v22
    emit v9, v8
block3:
    v26:64 = map.update @flows v1, v3, v11
    packet.store v10, v26
    emit v9, v8
block4:
    v27:8 = const 180
    v28:1 = ult v5, v27
    branch v28, block5, block6
block5:
    v29:64 = map.delete @flows v1
    packet.store v10, v29
    packet.store v13, v3
    emit v9, v8
block6:
    v30:1 = slice v5, 0
    branch v30, block7, block8
block7:
    v31:2 = slice v5, 1
    v32:64 = zext v31
    v33:64 = map.update @flows v1, v3, v32
    packet.store v10, v33
    emit v9, v8
block8:
    branch v20, block9, block10
block9:
    packet.store v10, v22
    emit v9, v8
block10:
    v34:32 = const 1
    emit v34, v8
",
    )
}

/// Only inserts and deletes, nothing is looked up, values are computed late.
pub fn hash_blind(entries: u32) -> String {
    program(
        &format!("map @flows hash key 4 value 8 entries {entries}"),
        "
    v20:1 = slice v5, 0
    branch v20, block1, block2
block1:
    v21:64 = add v3, v11
    v22:64 = xor v21, v3
    v23:64 = add v22, v21
    v24:64 = add v23, v22
    v25:64 = xor v24, v23
    v26:64 = add v25, v24
    v27:64 = map.update @flows v1, v26, v12
    packet.store v10, v27
    emit v9, v8
block2:
    v28:64 = map.delete @flows v1
    packet.store v10, v28
    emit v9, v8
",
    )
}

/// An old pointer is written after the element was replaced.
pub fn stale_pointer() -> String {
    program(
        "map @flows hash key 4 value 8 entries 16",
        "
    v20:1, v21:32 = map.lookup @flows v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @flows v21, v8
    v23:64 = map.update @flows v1, v3, v12
    v24:64 = add v22, v11
    map.store @flows v21, v8, v24
    v25:64 = map.load @flows v21, v8
    packet.store v10, v25
    packet.store v13, v23
    emit v9, v8
block2:
    v26:64 = map.update @flows v1, v11, v11
    packet.store v13, v26
    emit v9, v8
",
    )
}

/// Two hashes, both changed by packets; the second key is the first one's value.
pub fn chained_hashes() -> String {
    program(
        "map @first hash key 4 value 4 entries 16\nmap @second hash key 4 value 8 entries 16",
        "
    v20:1, v21:32 = map.lookup @first v1
    branch v20, block1, block2
block1:
    v22:32 = map.load @first v21, v8
    jump block3(v22)
block2:
    v23:32 = slice v3, 60
    v24:64 = map.update @first v1, v23, v11
    jump block3(v7)
block3(v25:32):
    v26:1, v27:32 = map.lookup @second v25
    branch v26, block4, block5
block4:
    v28:64 = map.load @second v27, v8
    v29:64 = add v28, v11
    map.store @second v27, v8, v29
    packet.store v10, v28
    emit v9, v8
block5:
    v30:64 = map.update @second v25, v3, v11
    packet.store v10, v30
    emit v9, v8
",
    )
    .replace("v23:32 = slice v3, 60", "v35:4 = slice v3, 60\n    v23:32 = zext v35")
}

/// Two hashes with keys of their own.
pub fn two_hashes() -> String {
    program(
        "map @first hash key 4 value 8 entries 16\nmap @second hash key 4 value 8 entries 100",
        "
    v20:1, v21:32 = map.lookup @first v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @first v21, v8
    v23:64 = map.delete @first v1
    jump block3(v23, v22)
block2:
    v24:64 = map.update @first v1, v3, v12
    jump block3(v24, v12)
block3(v25:64, v40:64):
    v26:1, v27:32 = map.lookup @second v7
    branch v26, block4, block5
block4:
    v28:64 = map.load @second v27, v8
    v29:64 = add v28, v40
    map.store @second v27, v8, v29
    packet.store v10, v28
    packet.store v13, v25
    emit v9, v8
block5:
    v30:64 = map.update @second v7, v3, v11
    packet.store v10, v30
    packet.store v13, v25
    emit v9, v8
",
    )
}

/// The errno of one hash's update is part of the other one's key.
pub fn errno_is_key() -> String {
    program(
        "map @first hash key 4 value 8 entries 4\nmap @second hash key 8 value 8 entries 64\nmap @errors array key 4 value 8 entries 32",
        "
    v20:64 = map.update @first v1, v3, v11
    v21:64 = map.update @second v20, v3, v12
    v22:64 = sub v12, v20
    v23:32 = slice v22, 0
    v24:1, v25:32 = map.lookup @errors v23
    branch v24, block1, block2
block1:
    v26:64 = map.load @errors v25, v8
    v27:64 = add v26, v11
    map.store @errors v25, v8, v27
    packet.store v10, v26
    emit v9, v8
block2:
    emit v9, v8
",
    )
}

/// What the first hash loads is the second one's key; the first one's update is answered in the stage in which packets
/// wait for the second one.
pub fn answer_at_the_gate() -> String {
    program(
        "map @first hash key 4 value 8 entries 16\nmap @second hash key 4 value 8 entries 16",
        "
    v20:1, v21:32 = map.lookup @first v1
    v22:64 = map.load @first v21, v8
    v23:64 = map.update @first v1, v3, v12
    v24:3 = slice v22, 0
    v25:32 = zext v24
    v35:32 = select v20, v25, v7
    v26:1, v27:32 = map.lookup @second v35
    v28:64 = map.load @second v27, v8
    v29:64 = map.update @second v35, v3, v11
    packet.store v10, v23
    packet.store v13, v29
    emit v9, v8
",
    )
}

/// A fused counter before the entrance of a window, one inside, one behind.
pub fn around_a_window() -> String {
    program(
        "map @before array key 4 value 8 entries 128
map @flows hash key 4 value 8 entries 16
map @after array key 4 value 8 entries 128
map @fixed hash key 4 value 4 entries 10
map @ports devmap key 4 value 4 entries 12",
        "
    v20:32 = zext v5
    v21:1, v22:32 = map.lookup @before v20
    branch v21, block1, block2(v12)
block1:
    v23:64 = map.load @before v22, v8
    v24:64 = shl v23, v11
    v25:64 = add v24, v11
    map.store @before v22, v8, v25
    jump block2(v23)
block2(v26:64):
    v27:1, v28:32 = map.lookup @flows v1
    branch v27, block3, block4
block3:
    v29:64 = map.load @flows v28, v8
    v30:64 = add v29, v26
    map.store @flows v28, v8, v30
    jump block5(v29)
block4:
    v31:64 = map.update @flows v1, v26, v11
    jump block5(v3)
block5(v32:64):
    v33:7 = slice v32, 0
    v34:32 = zext v33
    v35:1, v36:32 = map.lookup @after v34
    branch v35, block6, block10
block6:
    v37:64 = map.load @after v36, v8
    v38:1 = ult v37, v3
    v39:64 = select v38, v3, v37
    map.store @after v36, v8, v39
    packet.store v10, v37
    v40:1, v41:32 = map.lookup @fixed v7
    v42:32 = map.load @fixed v41, v8
    branch v40, block7, block10
block7:
    v43:1, v44:32 = map.lookup @ports v42
    branch v43, block8, block9
block8:
    v45:32 = map.load @ports v44, v8
    v46:32 = const 4
    emit v46, v45
block9:
    v47:32 = const 3
    emit v47, v45x
block10:
    emit v9, v8
"
        .replace("v45x", "v8")
        .as_str(),
    )
}

/// A read-only map is looked up before and behind a window: both must say the same, whatever the host does.
pub fn same_answer_twice() -> String {
    program(
        "map @fixed hash key 4 value 8 entries 16\nmap @flows hash key 4 value 4 entries 16\nmap @words array key 4 value 8 entries 100",
        "
    v20:1, v21:32 = map.lookup @fixed v1
    v22:64 = map.load @fixed v21, v8
    v23:64 = select v20, v22, v12
    v50:7 = slice v5, 0
    v51:32 = zext v50
    v52:1, v53:32 = map.lookup @words v51
    v54:64 = map.load @words v53, v8
    v55:64 = select v52, v54, v12
    v24:64 = map.update @flows v7, v1, v12
    v25:64 = add v24, v12
    v26:32 = slice v25, 0
    v27:32 = add v26, v1
    v28:1, v29:32 = map.lookup @fixed v27
    v30:64 = map.load @fixed v29, v8
    v31:64 = select v28, v30, v12
    v32:1 = eq v20, v28
    v33:64 = xor v23, v31
    v34:64 = zext v32
    packet.store v10, v33
    packet.store v13, v34
    v56:32 = add v26, v51
    v57:1, v58:32 = map.lookup @words v56
    v59:64 = map.load @words v58, v8
    v60:64 = select v57, v59, v12
    v61:64 = xor v55, v60
    v62:64 = const 48
    packet.store v62, v61
    v63:64 = const 56
    packet.store v63, v23
    v64:64 = const 24
    packet.store v64, v55
    emit v9, v8
",
    )
}

/// Two updates of one map, on ways that exclude each other, and a delete on a third.
pub fn three_ways() -> String {
    program(
        "map @flows hash key 4 value 8 entries 8",
        "
    v20:2 = slice v5, 0
    v21:2 = const 0
    v22:1 = eq v20, v21
    branch v22, block1, block2
block1:
    v23:64 = map.update @flows v1, v3, v11
    packet.store v10, v23
    emit v9, v8
block2:
    v24:2 = const 1
    v25:1 = eq v20, v24
    branch v25, block3, block4
block3:
    v26:64 = const 2
    v27:64 = map.update @flows v1, v11, v26
    packet.store v10, v27
    emit v9, v8
block4:
    v28:64 = map.delete @flows v1
    packet.store v10, v28
    v29:32 = const 3
    emit v29, v8
",
    )
}

/// An update and a delete of one key, one after the other.
pub fn update_then_delete() -> String {
    program(
        "map @flows hash key 4 value 8 entries 8",
        "
    v20:64 = map.update @flows v1, v3, v12
    v21:64 = map.delete @flows v1
    packet.store v10, v20
    packet.store v13, v21
    emit v9, v8
",
    )
}

/// A destination that only counts with XDP_REDIRECT.
pub fn destinations() -> String {
    program(
        "map @ports devmap key 4 value 8 entries 5",
        "
    v20:1, v21:32 = map.lookup @ports v1
    v22:32 = map.load @ports v21, v8
    v23:32 = zext v5
    v24:32 = select v20, v22, v7
    emit v23, v24
",
    )
}

/// An array's update: all flags, keys out of range.
pub fn array_update() -> String {
    program(
        "map @state percpu_array key 4 value 8 entries 5",
        "
    v20:3 = slice v5, 0
    v21:64 = zext v20
    v22:64 = map.update @state v1, v3, v21
    packet.store v10, v22
    v23:64 = map.delete @state v1
    packet.store v13, v23
    emit v9, v8
",
    )
}
