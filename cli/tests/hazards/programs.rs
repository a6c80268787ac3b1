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

/// A new word from an old one: one addition, or (`late`) more arithmetic than a clock has room for. Uses value numbers
/// from `first` to `first + 8`; the result is `first`.
fn new_word(late: bool, first: u32, old: &str, operand: &str) -> String {
    let v = |number: u32| format!("v{}", first + number);
    if !late {
        return format!("    {}:64 = add {old}, {operand}", v(0));
    }
    format!(
        "    {a}:64 = add {old}, {operand}
    {b}:64 = shl {a}, v11
    {c}:64 = xor {b}, {old}
    {d}:64 = add {c}, {a}
    {k}:64 = const 0x123456789abcdef
    {less}:1 = ult {d}, {k}
    {e}:64 = sub {k}, {d}
    {f}:64 = select {less}, {e}, {d}
    {result}:64 = add {f}, {old}",
        result = v(0),
        a = v(1),
        b = v(2),
        c = v(3),
        d = v(4),
        k = v(5),
        less = v(6),
        e = v(7),
        f = v(8),
    )
}

/// Doubles one of three counters of a record: an offset that a packet chooses.
pub fn one_of_three(entries: u32) -> String {
    program(
        &format!("map @state array key 4 value 24 entries {entries}"),
        "
    v20:1 \"hit\", v21:32 = map.lookup @state v1
    branch v20, block1, block2
block1:
    v23:8 = const 3
    v24:8 = const 6
    v25:1 = ult v5, v23
    v26:1 = ult v5, v24
    v27:32 = const 16
    v28:32 = const 8
    v29:32 = select v26, v28, v27
    v30:32 = select v25, v8, v29
    v22:64 \"old\" = map.load @state v21, v30
    v31:64 = shl v22, v11
    v32:64 = add v31, v11
    map.store @state v21, v30, v32
    packet.store v10, v22
    emit v9, v8
block2:
    emit v9, v8
",
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
    let new = new_word(true, 30, "v22", "v3");
    array_step(
        entries,
        &format!("{new}\n    map.store @state v21, v8, v30"),
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

/// A filter with counters: of two entries the first one whose bit 0 is set is counted, through one pointer.
pub fn first_that_matches(kind: &str, entries: u32) -> String {
    program(
        &format!("map @state {kind} key 4 value 8 entries {entries}"),
        "
    v14:64 = const 2
    v20:1, v21:32 = map.lookup @state v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @state v21, v8
    v23:64 = and v22, v11
    v24:1 = ne v23, v12
    branch v24, block4(v21, v22), block2
block2:
    v25:1, v26:32 = map.lookup @state v7
    branch v25, block3, block5
block3:
    v27:64 = map.load @state v26, v8
    v28:64 = and v27, v11
    v29:1 = ne v28, v12
    branch v29, block4(v26, v27), block5
block4(v30:32, v31:64):
    v32:64 = add v31, v14
    map.store @state v30, v8, v32
    packet.store v10, v31
    emit v9, v8
block5:
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
pub fn hash_values(entries: u32, late: bool) -> String {
    let new = new_word(late, 50, "v22", "v3");
    program(
        &format!("map @flows hash key 4 value 16 entries {entries}"),
        &format!(
            "
    v20:1 \"hit\", v21:32 = map.lookup @flows v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @flows v21, v8
{new}
    map.store @flows v21, v8, v50
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
"
        ),
    )
}

/// What a key does depends on the packet: count it (insert when it is new), overwrite it with flags, delete it, or look.
pub fn hash_everything(entries: u32, late: bool) -> String {
    let new = new_word(late, 50, "v22", "v11");
    program(
        &format!("map @flows hash key 4 value 8 entries {entries}"),
        &format!(
            "
    v20:1 \"hit\", v21:32 = map.lookup @flows v1
    v22:64 = map.load @flows v21, v8
    v23:8 = const 90
    v24:1 = ult v5, v23
    branch v24, block1, block4
block1:
    branch v20, block2, block3
block2:
{new}
    map.store @flows v21, v8, v50
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
"
        ),
    )
}

/// A map that forgets: what it holds for a key begins with the key. The value decides whether the key goes, with much
/// arithmetic. Shows the value and what the map answered.
pub fn forgetful(entries: u32) -> String {
    let new = new_word(true, 50, "v22", "v3");
    program(
        &format!("map @flows lru_hash key 4 value 8 entries {entries}"),
        &format!(
            "
    v20:1 \"hit\", v21:32 = map.lookup @flows v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @flows v21, v8
{new}
    v23:3 = slice v50, 7
    v24:3 = const 0
    v25:1 = eq v23, v24
    packet.store v10, v22
    branch v25, block3, block4
block2:
    v26:64 = zext v1
    v27:64 = map.update @flows v1, v26, v12
    packet.store v10, v26
    packet.store v13, v27
    emit v9, v8
block3:
    v28:64 = map.delete @flows v1
    packet.store v13, v28
    emit v9, v8
block4:
    v29:64 = const 0x100000000
    v30:64 = add v22, v29
    map.store @flows v21, v8, v30
    packet.store v13, v12
    emit v9, v8
"
        ),
    )
}

/// A value counts down; the packet that finds 0 deletes the key: the value decides.
pub fn expiry(entries: u32) -> String {
    program(
        &format!("map @flows hash key 4 value 8 entries {entries}"),
        "
    v20:1, v21:32 = map.lookup @flows v1
    branch v20, block1, block4
block1:
    v22:64 = map.load @flows v21, v8
    packet.store v10, v22
    v23:1 = eq v22, v12
    branch v23, block2, block3
block2:
    v24:64 = map.delete @flows v1
    packet.store v13, v24
    emit v9, v8
block3:
    v25:64 = sub v22, v11
    map.store @flows v21, v8, v25
    emit v9, v8
block4:
    v26:2 = slice v5, 0
    v27:64 = zext v26
    v28:64 = map.update @flows v1, v27, v11
    packet.store v10, v28
    emit v9, v8
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

/// An old pointer is written after the element was deleted.
pub fn deleted_pointer() -> String {
    stale_pointer().replace(
        "v23:64 = map.update @flows v1, v3, v12",
        "v23:64 = map.delete @flows v1",
    )
}

/// Two hashes, both changed by packets; the second key is the first one's value.
pub fn chained_hashes(late: bool) -> String {
    let new = new_word(late, 50, "v28", "v11");
    program(
        "map @first hash key 4 value 4 entries 16\nmap @second hash key 4 value 8 entries 16",
        "
    v20:1, v21:32 = map.lookup @first v1
    branch v20, block1, block2
block1:
    v22:32 = map.load @first v21, v8
    jump block3(v22)
block2:
    v35:4 = slice v3, 60
    v23:32 = zext v35
    v24:64 = map.update @first v1, v23, v11
    jump block3(v7)
block3(v25:32):
    v26:1, v27:32 = map.lookup @second v25
    branch v26, block4, block5
block4:
    v28:64 = map.load @second v27, v8
    NEW
    map.store @second v27, v8, v50
    packet.store v10, v28
    emit v9, v8
block5:
    v30:64 = map.update @second v25, v3, v11
    packet.store v10, v30
    emit v9, v8
",
    )
    .replace("    NEW", &new)
}

/// Two hashes with keys of their own.
pub fn two_hashes(late: [bool; 2]) -> String {
    let first = new_word(late[0], 50, "v22", "v3");
    let second = new_word(late[1], 60, "v28", "v40");
    program(
        "map @first hash key 4 value 8 entries 16\nmap @second hash key 4 value 8 entries 16",
        &format!(
            "
    v20:1, v21:32 = map.lookup @first v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @first v21, v8
{first}
    map.store @first v21, v8, v50
    jump block3(v12, v22)
block2:
    v24:64 = map.update @first v1, v3, v12
    jump block3(v24, v12)
block3(v25:64, v40:64):
    v26:1, v27:32 = map.lookup @second v7
    branch v26, block4, block5
block4:
    v28:64 = map.load @second v27, v8
{second}
    map.store @second v27, v8, v60
    packet.store v10, v28
    packet.store v13, v25
    emit v9, v8
block5:
    v30:64 = map.update @second v7, v3, v11
    packet.store v10, v30
    packet.store v13, v25
    emit v9, v8
"
        ),
    )
}

/// The errno of one hash's update is the other one's key.
pub fn errno_is_key(late: bool) -> String {
    let (first, second) = (
        new_word(late, 50, "v31", "v3"),
        new_word(late, 60, "v34", "v3"),
    );
    program(
        "map @first hash key 4 value 8 entries 4
map @second hash key 8 value 8 entries 64
map @errors array key 4 value 8 entries 32",
        &format!(
            "
    v29:1, v30:32 = map.lookup @first v1
    v31:64 = map.load @first v30, v8
{first}
    v28:64 = select v29, v50, v3
    v20:64 = map.update @first v1, v28, v12
    v32:1, v33:32 = map.lookup @second v20
    v34:64 = map.load @second v33, v8
{second}
    v35:64 = select v32, v60, v3
    v21:64 = map.update @second v20, v35, v12
    v22:64 = sub v12, v20
    v23:32 = slice v22, 0
    v24:1, v25:32 = map.lookup @errors v23
    branch v24, block1, block2
block1:
    v26:64 = map.load @errors v25, v8
    v27:64 = add v26, v11
    map.store @errors v25, v8, v27
    packet.store v10, v26
    packet.store v13, v35
    emit v9, v8
block2:
    emit v9, v8
"
        ),
    )
}

/// What the first hash loads is the second one's key; the first one's update is answered in the stage in which packets
/// wait for the second one.
pub fn answer_at_the_gate(late: bool) -> String {
    let (first, second) = (
        new_word(late, 50, "v22", "v3"),
        new_word(late, 60, "v28", "v3"),
    );
    program(
        "map @first hash key 4 value 8 entries 16\nmap @second hash key 4 value 8 entries 16",
        &format!(
            "
    v20:1, v21:32 = map.lookup @first v1
    v22:64 = map.load @first v21, v8
{first}
    v36:64 = select v20, v50, v3
    v23:64 = map.update @first v1, v36, v12
    v24:3 = slice v22, 0
    v25:32 = zext v24
    v35:32 = select v20, v25, v7
    v26:1, v27:32 = map.lookup @second v35
    v28:64 = map.load @second v27, v8
{second}
    v37:64 = select v26, v60, v3
    v29:64 = map.update @second v35, v37, v12
    packet.store v10, v23
    packet.store v13, v29
    emit v9, v8
"
        ),
    )
}

/// A fused counter before the entrance of a window, one inside, one behind.
pub fn around_a_window(late: bool) -> String {
    let new = new_word(late, 50, "v29", "v26");
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
    NEW
    map.store @flows v28, v8, v50
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
    emit v47, v8
block10:
    emit v9, v8
",
    )
    .replace("    NEW", &new)
}

/// A read-only map is looked up before and behind a window: both must say the same, whatever the host does.
pub fn same_answer_twice(late: bool) -> String {
    let new = new_word(late, 70, "v67", "v3");
    program(
        "map @fixed hash key 4 value 8 entries 16
map @flows hash key 4 value 8 entries 16
map @words array key 4 value 8 entries 100",
        "
    v20:1, v21:32 = map.lookup @fixed v1
    v22:64 = map.load @fixed v21, v8
    v23:64 = select v20, v22, v12
    v50:7 = slice v5, 0
    v51:32 = zext v50
    v52:1, v53:32 = map.lookup @words v51
    v54:64 = map.load @words v53, v8
    v55:64 = select v52, v54, v12
    v65:1, v66:32 = map.lookup @flows v7
    v67:64 = map.load @flows v66, v8
    NEW
    v68:64 = select v65, v70, v3
    v24:64 = map.update @flows v7, v68, v12
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
    .replace("    NEW", &new)
}

/// The first hash's values come behind the entrance of the third one's window, its keys in front of it: the second
/// one's answer decides on the third one's key.
pub fn values_behind_an_entrance() -> String {
    let new = new_word(true, 50, "v38", "v3");
    program(
        "map @first hash key 4 value 8 entries 65
map @second hash key 4 value 8 entries 16
map @third hash key 4 value 8 entries 4",
        &format!(
            "
    v20:1, v21:32 = map.lookup @second v7
    branch v20, block1, block2
block1:
    v22:64 = map.atomic or @second v21, v8, v3
    jump block3
block2:
    v23:64 = map.update @second v7, v3, v11
    jump block3
block3:
    v24:32 = select v20, v1, v7
    v25:1, v26:32 = map.lookup @first v1
    branch v25, block4, block5
block4:
    v27:64 = map.atomic add @first v26, v8, v11
    jump block6
block5:
    v28:64 = map.update @first v1, v12, v12
    jump block6
block6:
    v36:1, v37:32 = map.lookup @third v24
    branch v36, block7, block8
block7:
    v38:64 = map.load @third v37, v8
{new}
    map.store @third v37, v8, v50
    emit v9, v8
block8:
    v39:64 = map.update @third v24, v3, v12
    emit v9, v8
"
        ),
    )
}

/// Packets leave with nothing of what the map says: they may wait for it long after their result is known.
pub fn silent() -> String {
    let new = new_word(true, 50, "v22", "v3");
    program(
        "map @flows hash key 4 value 8 entries 16",
        &format!(
            "
    v20:1, v21:32 = map.lookup @flows v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @flows v21, v8
{new}
    map.store @flows v21, v8, v50
    emit v9, v8
block2:
    v23:64 = map.update @flows v1, v3, v12
    emit v9, v8
"
        ),
    )
}

/// Some packets look up and change, others insert or delete without having looked: the lookup's condition does not
/// tell who needs the map.
pub fn look_or_change() -> String {
    let new = new_word(true, 50, "v23", "v3");
    program(
        "map @flows hash key 4 value 8 entries 16",
        &format!(
            "
    v20:1 = slice v5, 0
    branch v20, block1, block3
block1:
    v21:1, v22:32 = map.lookup @flows v1
    branch v21, block2, block6
block2:
    v23:64 = map.load @flows v22, v8
{new}
    map.store @flows v22, v8, v50
    packet.store v10, v23
    emit v9, v8
block3:
    v24:1 = slice v5, 1
    branch v24, block4, block5
block4:
    v25:64 = map.update @flows v1, v3, v12
    packet.store v10, v25
    emit v9, v8
block5:
    v26:64 = map.delete @flows v1
    packet.store v10, v26
    emit v9, v8
block6:
    emit v9, v8
"
        ),
    )
}

/// Keys of a small table come and go behind the entrance of another map's window.
pub fn churn_behind_a_window() -> String {
    let new = new_word(true, 50, "v22", "v3");
    program(
        "map @first array key 4 value 8 entries 4\nmap @second hash key 4 value 8 entries 2",
        &format!(
            "
    v20:1, v21:32 = map.lookup @first v1
    branch v20, block1, block2
block1:
    v22:64 = map.load @first v21, v8
{new}
    map.store @first v21, v8, v50
    jump block2
block2:
    v23:1 = slice v5, 0
    branch v23, block3, block4
block3:
    v24:64 = map.update @second v7, v3, v12
    packet.store v10, v24
    emit v9, v8
block4:
    v25:64 = map.delete @second v7
    packet.store v10, v25
    emit v9, v8
"
        ),
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

/// One key comes, another one goes.
pub fn update_one_delete_other() -> String {
    program(
        "map @flows hash key 4 value 8 entries 16",
        "
    v20:64 = map.update @flows v1, v3, v12
    v21:64 = map.delete @flows v7
    packet.store v10, v20
    packet.store v13, v21
    emit v9, v8
",
    )
}

/// Two keys of one map: what is there is changed with much arithmetic, what is not comes in.
pub fn two_keys(entries: u32) -> String {
    let first = new_word(true, 50, "v22", "v3");
    let second = new_word(true, 60, "v28", "v3");
    program(
        &format!("map @flows hash key 4 value 8 entries {entries}"),
        &format!(
            "
    v20:1, v21:32 = map.lookup @flows v1
    v26:1, v27:32 = map.lookup @flows v7
    branch v20, block1, block2
block1:
    v22:64 = map.load @flows v21, v8
{first}
    map.store @flows v21, v8, v50
    packet.store v10, v22
    jump block3
block2:
    v24:64 = map.update @flows v1, v3, v12
    packet.store v10, v24
    jump block3
block3:
    branch v26, block4, block5
block4:
    v28:64 = map.load @flows v27, v8
{second}
    map.store @flows v27, v8, v60
    packet.store v13, v28
    emit v9, v8
block5:
    v29:64 = map.update @flows v7, v3, v12
    packet.store v13, v29
    emit v9, v8
"
        ),
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

/// A value by the longest prefix of the operand.
pub fn routes(entries: u32) -> String {
    program(
        &format!("map @routes lpm_trie key 8 value 8 entries {entries}"),
        "
    v20:1 \"hit\", v21:32 = map.lookup @routes v3
    branch v20, block1, block2
block1:
    v22:64 = map.load @routes v21, v8
    packet.store v10, v22
    emit v9, v8
block2:
    emit v9, v8
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

/// Keys and values of any size: the key has the packet's key in its lowest and highest bytes, the value the operand.
/// A hit counts in the value's last byte.
pub fn sizes(key_bytes: u32, value_bytes: u32, entries: u32) -> String {
    let key = match key_bytes {
        1..4 => format!("    v20:{0} = slice v1, 0", key_bytes * 8),
        4 => "    v20:32 = add v1, v8".to_string(),
        5..8 => format!("    v20:{0} = zext v1", key_bytes * 8),
        8 => "    v20:64 = concat v1, v1".to_string(),
        _ => format!(
            "    v21:{0} = const 0\n    v20:{1} = concat v1, v21, v1",
            (key_bytes - 8) * 8,
            key_bytes * 8
        ),
    };
    let value = match value_bytes {
        1..8 => format!("    v22:{0} = slice v3, 0", value_bytes * 8),
        8 => "    v22:64 = add v3, v12".to_string(),
        _ => format!(
            "    v23:{0} = const 0\n    v22:{1} = concat v3, v23",
            (value_bytes - 8) * 8,
            value_bytes * 8
        ),
    };
    program(
        &format!("map @flows hash key {key_bytes} value {value_bytes} entries {entries}"),
        &format!(
            "
{key}
{value}
    v24:1, v25:32 = map.lookup @flows v20
    branch v24, block1, block2
block1:
    v26:32 = const {last}
    v27:8 = map.load @flows v25, v26
    v28:8 = const 1
    v29:8 = add v27, v28
    map.store @flows v25, v26, v29
    packet.store v10, v27
    emit v9, v8
block2:
    v30:2 = slice v5, 0
    v31:2 = const 0
    v32:1 = eq v30, v31
    branch v32, block3, block4
block3:
    v33:64 = map.update @flows v20, v22, v11
    packet.store v10, v33
    emit v9, v8
block4:
    emit v8, v8
",
            last = value_bytes - 1
        ),
    )
}
