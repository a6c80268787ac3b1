//! Pointers whose memory may belong to another entry: what is refused, and what is not.

use crate::read;
use hardpath_pipeline::{compile, Options};

/// A program that looks a key up, does what is said, and reads the value. `v1` is the key, `v7` another one, `v3` a value;
/// `v72` to `v74` are what updates may do; `v15` and `v16` are conditions of the packet.
fn refusals(kind: &str, body: &str) -> Vec<String> {
    let (find, words) = kind.split_once(' ').unwrap_or((kind, ""));
    let text = format!(
        "program \"old_pointers\" control-flow\noutput \"verdict\" 32

map @flows {find} key 4 value 8 entries 64 {words}

place0 slot 7 file \"old.c\" line 70 source \"first\"
place1 slot 8 file \"old.c\" line 80 source \"second\"
place2 slot 9 file \"old.c\" line 90 source \"value->count\"

block0:
    v0:64 = const 0
    v1:32 = packet.load v0
    v2:64 = const 8
    v3:64 = packet.load v2
    v4:64 = const 4
    v7:32 = packet.load v4
    v8:32 = const 0
    v9:32 = const 2
    v10:64 = const 32
    v12:64 = const 0
    v13:64 = const 1
    v14:64 = const 2
    v72:2 = const 3
    v73:2 = const 1
    v74:2 = const 2
    v75:3 = const 0
    v11:64 = const 16
    v17:8 = packet.load v11
    v15:1 = slice v17, 0
    v16:1 = slice v17, 1
    v18:32 = const 7
    v19:32 = const 8
    v20:1, v21:32 = map.lookup @flows v1
    branch v20, block1, block9
block1:
{body}
block9:
    v9000:1 = const 1
    emit v9000 with v9
"
    );
    match compile(read(&text), &Options::default()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

const READ: &str = "    v90:64 = map.load @flows v21, v8 at place2
    packet.store v10, v90
    jump block9";

/// Behind the changes the old pointer is read.
fn reads_behind(kind: &str, changes: &[&str]) -> bool {
    let mut body = String::new();
    for (number, change) in changes.iter().enumerate() {
        body.push_str(&format!("    v{}:3 = {change}\n", 60 + number));
    }
    let errors = refusals(kind, &(body + READ));
    let ours = |error: &String| error.starts_with("error[old-pointer]");
    assert!(errors.iter().all(ours), "{changes:?}: {errors:?}");
    !errors.is_empty()
}

const UPDATE: &str = "map.update @flows v1, v3, v72";
const UPDATE_OTHER: &str = "map.update @flows v7, v3, v72";
const INSERT: &str = "map.update @flows v1, v3, v73";
const INSERT_OTHER: &str = "map.update @flows v7, v3, v73";
const REPLACE_OTHER: &str = "map.update @flows v7, v3, v74";
const DELETE: &str = "map.delete @flows v1";
const DELETE_OTHER: &str = "map.delete @flows v7";

/// As measured on Linux 6.18: behind these the kernel reads another value than before, in maps of one sort or another.
#[test]
fn memory_that_was_taken() {
    let pairs = [
        [UPDATE, UPDATE],
        [UPDATE, UPDATE_OTHER],
        [UPDATE, INSERT_OTHER],
        [UPDATE_OTHER, UPDATE],
        [UPDATE, REPLACE_OTHER],
        [DELETE, UPDATE],
        [DELETE, INSERT],
        [DELETE, UPDATE_OTHER],
        [DELETE, REPLACE_OTHER],
        [DELETE_OTHER, INSERT],
    ];
    for pair in pairs {
        for kind in ["exact", "exact forgets"] {
            assert!(reads_behind(kind, &pair), "{kind} {pair:?}");
        }
    }
    assert!(reads_behind("exact", &[UPDATE, DELETE, INSERT]));
    // These write the element itself: only a delete lets it go, and only what is not there takes memory.
    for kind in ["exact in-place", "exact forgets in-place"] {
        assert!(reads_behind(kind, &[DELETE, INSERT]));
        assert!(reads_behind(kind, &[DELETE, UPDATE_OTHER]));
        assert!(!reads_behind(kind, &[UPDATE, UPDATE_OTHER]));
        assert!(!reads_behind(kind, &[DELETE, REPLACE_OTHER]));
    }
}

/// Behind these every sort of map reads what it would have read before.
#[test]
fn memory_that_nobody_takes() {
    let alone = [UPDATE, DELETE, UPDATE_OTHER, DELETE_OTHER, INSERT_OTHER];
    for change in alone {
        assert!(!reads_behind("exact", &[change]), "{change}");
    }
    let pairs = [
        [UPDATE, DELETE],
        [UPDATE, DELETE_OTHER],
        [DELETE, DELETE_OTHER],
        // What is there is not inserted again.
        [INSERT, UPDATE],
        [INSERT_OTHER, INSERT_OTHER],
    ];
    for pair in pairs {
        for kind in [
            "exact",
            "exact forgets",
            "exact in-place",
            "exact forgets in-place",
        ] {
            assert!(!reads_behind(kind, &pair), "{kind} {pair:?}");
        }
    }
    let array = ["map.update @flows v7, v3, v72"; 2];
    assert!(!reads_behind("array", &array));
}

/// The message names the lookup and both changes, and stands at the access.
#[test]
fn what_is_said() {
    let errors = refusals(
        "exact",
        &format!("    v60:3 = {UPDATE} at place0\n    v61:3 = {UPDATE_OTHER} at place1\n{READ}"),
    );
    let [error] = errors.as_slice() else {
        panic!("{errors:?}");
    };
    for part in [
        "error[old-pointer]: a value of map flows is read",
        "an update (line 70)",
        "an update (line 80)",
        "old.c:90: value->count",
        "help: ",
    ] {
        assert!(error.contains(part), "{error}");
    }
    // Stores and atomics, too; once for a pointer.
    for access in [
        "    map.store @flows v21, v8, v3",
        "    v91:64 = map.atomic add @flows v21, v8, v3",
        "    v91:32 = map.load @flows v21, v8\n    v92:64 = zext v91\n    packet.store v10, v92",
    ] {
        let body = format!("    v60:3 = {UPDATE}\n    v61:3 = {UPDATE}\n{access}\n{READ}");
        assert_eq!(refusals("exact", &body).len(), 1, "{access}");
    }
}

/// Changes on ways that exclude each other, or that exclude the lookup or the access.
#[test]
fn ways_that_exclude_each_other() {
    // if (a) update; else update; read
    let either = |second: &str| {
        format!(
            "    branch v15, block2, block3
block2:
    v60:3 = {UPDATE}
    jump block4
block3:
    v61:3 = {UPDATE}
    jump block4
block4:
{second}{READ}"
        )
    };
    assert_eq!(refusals("exact", &either("")), [""; 0]);
    let third = format!("    v62:3 = {UPDATE_OTHER}\n");
    assert_eq!(refusals("exact", &either(&third)).len(), 1);

    // if (a) update; if (b) update; read
    let both = |second: &str| {
        format!(
            "    branch v15, block2, block3
block2:
    v60:3 = {UPDATE}
    jump block3
block3:
    v41:1 = not v15
    branch {second}, block4, block5
block4:
    v61:3 = {UPDATE_OTHER}
    jump block5
block5:
{READ}"
        )
    };
    assert_eq!(refusals("exact", &both("v16")).len(), 1);
    assert_eq!(refusals("exact", &both("v41")), [""; 0]);

    // update; update; only where neither was done, read
    let body = format!(
        "    branch v15, block2, block3
block2:
    v60:3 = {UPDATE}
    v61:3 = {UPDATE}
    jump block3
block3:
    branch v15, block9, block4
block4:
{READ}"
    );
    assert_eq!(refusals("exact", &body), [""; 0]);

    // if (replace) create; read
    let second_chance = "    v60:3 = map.update @flows v7, v3, v74
    v61:1 = ne v60, v75
    branch v61, block2, block3
block2:
    v62:3 = map.update @flows v7, v3, v73
    jump block3
block3:
";
    assert_eq!(
        refusals("exact", &format!("{second_chance}{READ}")),
        [""; 0]
    );
}

/// A key that is looked up again; a key that cannot be the same.
#[test]
fn other_pointers() {
    let again = format!(
        "    v60:3 = {UPDATE}
    v61:3 = {UPDATE_OTHER}
    v40:1, v41:32 = map.lookup @flows v1
    branch v40, block2, block9
block2:
    v62:64 = map.load @flows v41, v8
    packet.store v10, v62
    jump block9"
    );
    assert_eq!(refusals("exact", &again), [""; 0]);
    let constants = "    v40:1, v41:32 = map.lookup @flows v18
    branch v40, block2, block9
block2:
    v60:3 = map.update @flows v19, v3, v72
    v61:3 = map.update @flows v19, v3, v72
    v62:64 = map.load @flows v41, v8
    packet.store v10, v62
    jump block9";
    assert_eq!(refusals("exact", constants), [""; 0]);
}

/// A value is looked up, or inserted and then looked up; one more change leaves the pointer good, two do not.
#[test]
fn a_pointer_that_may_come_from_two_lookups() {
    let text = |changes: &str| {
        format!(
            "program \"joined\" control-flow\noutput \"verdict\" 32

map @flows exact key 4 value 8 entries 64

block0:
    v0:64 = const 0
    v1:32 = packet.load v0
    v3:64 = const 8
    v4:64 = const 4
    v7:32 = packet.load v4
    v8:32 = const 0
    v9:32 = const 2
    v10:64 = const 32
    v12:64 = const 0
    v72:2 = const 3
    v20:1, v21:32 = map.lookup @flows v1
    branch v20, block3(v21), block1
block1:
    v30:3 = map.update @flows v1, v3, v72
    v31:1, v32:32 = map.lookup @flows v1
    branch v31, block3(v32), block9
block3(v40:32):
{changes}
    v90:64 = map.load @flows v40, v8
    packet.store v10, v90
    jump block9
block9:
    v9001:1 = const 1
    emit v9001 with v9
"
        )
    };
    let one = format!("    v60:3 = {UPDATE_OTHER}");
    let two = format!("{one}\n    v61:3 = {UPDATE_OTHER}");
    assert!(compile(read(&text(&one)), &Options::default()).is_ok());
    let errors = compile(read(&text(&two)), &Options::default()).expect_err("two changes");
    let codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
    assert_eq!(codes, ["old-pointer"]);
}
