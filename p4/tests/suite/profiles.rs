//! Members and groups of action profiles by P4Runtime, and what is wrong with them: the table stays as it was.

use hardpath_p4::design::design;
use hardpath_p4::interpreter::Machine;
use hardpath_p4::p4info::{p4info, Message};
use hardpath_p4::preprocess::Options;
use hardpath_p4::{entries, p4runtime, runner};
use std::path::{Path, PathBuf};

struct Bench {
    path: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/stf");
        let path = folder.join(format!("{name}.p4"));
        Bench { path }
    }

    /// What comes of commands, in the form of P4Runtime or of BMv2's command line; and then of a packet.
    fn run(
        &self,
        text: impl Fn(&dyn Fn(&str, &str) -> u64) -> String,
        packet: &[u8],
    ) -> Result<Vec<u8>, String> {
        let (program, sources) = hardpath_p4::load(&self.path, None, &Options::default()).unwrap();
        let design = design(&program, &sources).unwrap();
        let info = p4info(&program, &sources, &design).unwrap();
        let id = |list: &str, name: &str| {
            let preamble = |one: &Message| one.messages("preamble").next().cloned().unwrap();
            let mut all = info.messages(list).map(preamble);
            let found = all.find(|one| one.string_of("name") == Some(name)).unwrap();
            u64::try_from(found.number_of("id").unwrap()).unwrap()
        };
        let text = text(&id);
        let commands = match text.starts_with("updates") {
            true => p4runtime::read("entries", &text, &info),
            false => entries::read("entries", &text),
        };
        let commands = commands.map_err(|errors| errors[0].message.clone())?;
        let mut machine = Machine::new(&program, &sources, &design).unwrap();
        let verdict = runner::run(&mut machine, &program, &sources, &design, &commands);
        verdict.map_err(|errors| errors[0].message.clone())?;
        Ok(machine.packet(0, packet, 1).unwrap().bytes)
    }
}

fn update(kind: &str, entity: &str) -> String {
    format!("updates {{ type: {kind} entity {{ {entity} }} }}\n")
}

#[test]
fn members_groups_and_sets_of_actions_are_written() {
    let bench = Bench::new("v1-action-selector");
    let text = |last: &str| {
        let last = last.to_owned();
        move |id: &dyn Fn(&str, &str) -> u64| {
            let (profile, table, set) = (
                id("action_profiles", "I.sel"),
                id("tables", "I.t"),
                id("actions", "I.set"),
            );
            let action = |value: u8| {
                format!("action {{ action_id: {set} params {{ param_id: 1 value: \"\\{value:03o}\" }} }}")
            };
            let member = |number: u32, value: u8| {
                update("INSERT", &format!("action_profile_member {{ action_profile_id: {profile} member_id: {number} {} }}", action(value)))
            };
            let key = "match { field_id: 1 exact { value: \"\\001\" } }";
            let group = |kind: &str, members: &str| {
                update(kind, &format!("action_profile_group {{ action_profile_id: {profile} group_id: 70 {members} }}"))
            };
            let last = last
                .replace("TABLE", &format!("table_entry {{ table_id: {table} {key}"))
                .replace("SET5", &action(5))
                .replace("SET6", &action(6));
            member(1000, 1) + &member(2000, 2)
                + &group("INSERT", "members { member_id: 1000 } members { member_id: 2000 weight: 2 }")
                + &update("INSERT", &format!("table_entry {{ table_id: {table} {key} action {{ action_profile_group_id: 70 }} }}"))
                + &last
        }
    };
    let gives = |last: &str, key: u8| bench.run(text(last), &[1, key, 0]).map(|bytes| bytes[2]);
    // The hash is the key: one in three is the first member, two are the second one.
    let all: Vec<_> = (0..6).map(|key| gives("", key).unwrap()).collect();
    assert_eq!(all, [1, 2, 2, 1, 2, 2]);
    let member = update(
        "MODIFY",
        "TABLE action { action_profile_member_id: 1000 } }",
    );
    assert_eq!(gives(&member, 1), Ok(1));
    let actions = "action { action_profile_action_set { action_profile_actions { SET5 weight: 1 } action_profile_actions { SET6 weight: 1 } } }";
    let set = update("MODIFY", &format!("TABLE {actions} }}"));
    assert_eq!([gives(&set, 2), gives(&set, 3)], [Ok(5), Ok(6)]);
    // What an entry had alone goes with it: there would be no room for so many.
    let often = set.repeat(40) + &update("DELETE", "TABLE }");
    assert_eq!(gives(&often, 2), Ok(0));
    let missing = update("MODIFY", "TABLE action { action_profile_group_id: 71 } }");
    assert_eq!(gives(&missing, 2), Err("there is no group 71".into()));
}

#[test]
fn what_is_wrong_with_members_and_groups_is_told() {
    let bench = Bench::new("v1-selector-changes");
    let begin = "act_prof_create_member sel set 7\nact_prof_create_group sel\n";
    let told = |more: &str| {
        let text = format!("{begin}{more}");
        bench.run(|_| text.clone(), &[1, 0, 0]).unwrap_err()
    };
    for (more, said) in [
        ("table_indirect_add_with_group t 1 => 0", "the group 0 has no members"),
        ("table_indirect_add t 1 => 3", "there is no member 3"),
        ("act_prof_add_member_to_group sel 5 0", "there is no member 5"),
        ("act_prof_add_member_to_group sel 0 4", "there is no group 4"),
        ("act_prof_add_member_to_group sel 0 0\nact_prof_add_member_to_group sel 0 0", "has the member 0 already"),
        ("act_prof_remove_member_from_group sel 0 0", "does not have the member 0"),
        ("act_prof_add_member_to_group sel 0 0\nact_prof_delete_member sel 0", "the group 0 has the member 0"),
        ("table_indirect_add t 1 => 0\nact_prof_delete_member sel 0", "an entry of `I.t` uses the member 0"),
        ("act_prof_add_member_to_group sel 0 0\ntable_indirect_add_with_group t 1 => 0\nact_prof_delete_group sel 0", "an entry of `I.t` uses the group 0"),
        ("act_prof_add_member_to_group sel 0 0\ntable_indirect_add_with_group t 1 => 0\nact_prof_remove_member_from_group sel 0 0", "an entry of `I.t` uses the group 0"),
        (&"act_prof_create_member sel set 1\n".repeat(8), "has room for 8 members"),
        ("act_prof_create_member sel nothing", "nothing"),
        ("act_prof_create_member other set 1", "there is no object `other`"),
        ("act_prof_create_member sel set 256", "does not fit"),
    ] {
        let is = told(more);
        assert!(is.contains(said), "{more}: {is}");
    }
    let plain = Bench::new("v1-meter");
    let told = plain.run(|_| "table_indirect_add t 1 => 0".into(), &[1, 0, 0]);
    assert!(told.is_err());
}

/// An error leaves the table as it was.
#[test]
fn an_entry_with_its_own_action_leaves_nothing_behind() {
    let bench = Bench::new("v1-action-profile");
    let twice = "table_add t set 9 => 1\ntable_add t set 9 => 2";
    let told = bench.run(|_| twice.into(), &[9, 0, 0]).unwrap_err();
    assert_eq!(told, "the table has this entry already");
    let four: String = (0..4)
        .map(|key| format!("table_add t set {key} => 1\n"))
        .collect();
    let again = four.clone() + "table_delete t 0\ntable_add t set 9 => 8\n";
    assert_eq!(bench.run(|_| again.clone(), &[9, 0, 0]).unwrap()[2], 8);
    let five = four + "table_add t set 9 => 8\n";
    let told = bench.run(|_| five.clone(), &[9, 0, 0]).unwrap_err();
    assert!(told.contains("has room for 4 members"), "{told}");
}
