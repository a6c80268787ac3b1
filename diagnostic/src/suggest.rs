//! What may have been meant by a name that does not exist.

/// From this similarity on (Jaro and Winkler's, 0 to 1) a name may have been meant.
const SIMILAR: f64 = 0.8;
/// How many names a message lists.
const MOST_LISTED: usize = 24;

/// The known name that is most like another, if one is.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let small = name.to_lowercase();
    let similarity = |known: &str| strsim::jaro_winkler(&small, &known.to_lowercase());
    let known = known.into_iter().map(|known| (similarity(known), known));
    let nearest = known.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest
        .filter(|(similarity, _)| *similarity >= SIMILAR && !name.is_empty())
        .map(|(_, known)| known)
}

/// The known name of which another one is a slip of the fingers: a letter too much, too few, another one, or two in the wrong order. Nothing
/// where the name is a known one, or so short that it may well be another word.
pub fn mistyped<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = None;
    for known in known {
        match strsim::osa_distance(name, known) {
            0 => return None,
            1 if name.len() >= 4 && known.len() >= 4 => found = Some(known),
            _ => {}
        }
    }
    found
}

/// Help for a name that is not among those known: `did you mean counts? it has counts, limit`. `has`: the words in front of the
/// names; `has_none`: what is said where there are none.
pub fn known<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    has: &str,
    has_none: &str,
) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    if known.is_empty() {
        return has_none.to_owned();
    }
    let meant = meant(name, known.iter().copied());
    let more = match known.len() > MOST_LISTED {
        true => ", …",
        false => "",
    };
    known.truncate(MOST_LISTED);
    format!("{meant}{has} {}{more}", known.join(", "))
}

/// `did you mean counts? `, to stand in front of more; empty where nothing is like the name.
pub fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("did you mean {nearest}? "),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_several() {
        let names = ["flows", "counts", "count_all"];
        assert_eq!(nearest("count", names), Some("counts"));
        assert_eq!(nearest("Flows", names), Some("flows"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("flow", []), None);
    }

    #[test]
    fn help_lists_what_there_is() {
        let help = |name| known(name, ["flows", "counts"], "it has", "it has none");
        assert_eq!(help("flow"), "did you mean flows? it has flows, counts");
        assert_eq!(help("x"), "it has flows, counts");
        assert_eq!(known("x", [], "it has", "it has none"), "it has none");
        let many: Vec<String> = (0..30).map(|number| format!("map{number}")).collect();
        let help = known("x", many.iter().map(String::as_str), "it has", "");
        assert!(help.ends_with("map23, …"), "{help}");
    }

    #[test]
    fn a_slip_of_the_fingers_is_no_other_word() {
        let known = ["name", "hidden", "default_action", "id"];
        for (name, meant) in [
            ("nmae", Some("name")),
            ("nam", None),
            ("names", Some("name")),
            ("hiden", Some("hidden")),
            ("defalt_action", Some("default_action")),
            ("name", None),
            ("ib", None),
            ("brief", None),
        ] {
            assert_eq!(super::mistyped(name, known), meant, "{name}");
        }
    }
}
