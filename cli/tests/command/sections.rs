//! Which programs of an object are XDP: their sections say it.

use crate::common::{compile, hardpath, path};

#[test]
fn programs_of_other_types_are_refused() {
    let Some((_place, object)) = compile("sections") else {
        return;
    };
    let object = path(&object);
    for (program, section) in [("classify", "section tc"), ("filter", "section socket1")] {
        for command in ["compile", "ir"] {
            let arguments = [command, object, "--program", program, "--json"];
            let error = hardpath(&arguments).error(3, "not-xdp");
            assert!(
                error["place"].as_str().unwrap().ends_with(section),
                "{error}"
            );
            assert!(error["help"].as_str().unwrap().contains("--as-xdp"));
            let mut insisting = arguments.to_vec();
            insisting.push("--as-xdp");
            let run = hardpath(&insisting);
            assert_eq!(run.status, 0, "{}", run.stdout);
        }
    }
    // None of them is the one to take when nobody says which.
    hardpath(&["ir", object, "--json"]).error(3, "not-xdp");
    hardpath(&["ir", object, "--json", "--as-xdp"]).error(2, "several-programs");
}
