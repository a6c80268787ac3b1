//! Names of P4 as identifiers of C, each once.

use std::collections::BTreeSet;

/// Words that are no identifier in C or C++.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl \
    concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq \
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static \
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual \
    void volatile wchar_t while xor xor_eq NULL linux unix";

/// Identifiers that are taken.
#[derive(Clone, Default)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// Those that a header of the runtime or of registers takes: constants, and what begins with its name.
    pub fn of_header(text: &str) -> Names {
        let mut names = Names::default();
        for line in text.lines() {
            let defined = line.strip_prefix("#define ");
            names.0.extend(defined.and_then(|line| {
                let name = line.split(|c| !is_part(c)).next();
                name.map(String::from)
            }));
            let words = line.split(|c| !is_part(c));
            let own = words.filter(|word| word.to_ascii_lowercase().starts_with("hardpath_"));
            names.0.extend(own.map(String::from));
        }
        names
    }

    /// This one, or the first one with a number behind it that is free.
    pub fn unique(&mut self, name: &str) -> String {
        self.stem(name, &[""])
    }

    /// One that is free with all of these endings.
    pub fn stem(&mut self, name: &str, endings: &[impl AsRef<str>]) -> String {
        let plain = [String::new()];
        let numbered = (2..).map(|number| format!("_{number}"));
        let mut stems = plain
            .into_iter()
            .chain(numbered)
            .map(|end| format!("{name}{end}"));
        let all = |stem: &String| -> Vec<String> {
            let endings = endings.iter();
            endings
                .map(|ending| format!("{stem}{}", ending.as_ref()))
                .collect()
        };
        let is_free = |stem: &String| all(stem).iter().all(|name| !self.0.contains(name));
        let stem = stems.find(is_free).expect("numbers do not end");
        self.0.extend(all(&stem));
        stem
    }
}

/// Of an identifier.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `hdr.ethernet.dst` as `hdr_ethernet_dst`, behind something else: what is no part of an identifier is a line, several of them one.
pub fn part(name: &str) -> String {
    let mut made = String::new();
    for c in name.chars() {
        match c.is_ascii_alphanumeric() {
            true => made.push(c),
            false if made.ends_with('_') || made.is_empty() => {}
            false => made.push('_'),
        }
    }
    match made.trim_end_matches('_') {
        "" => String::from("unnamed"),
        made => made.to_owned(),
    }
}

/// The same as an identifier by itself.
pub fn identifier(name: &str) -> String {
    let made = part(name);
    let is_word = KEYWORDS.split_whitespace().any(|word| word == made);
    match made.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("n{made}"),
        false if is_word => format!("{made}_"),
        false => made,
    }
}

/// A text that may stand in a comment.
pub fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, made) in [
            ("Receive.dmac", "Receive_dmac"),
            ("hdr.vlan[0].id", "hdr_vlan_0_id"),
            ("hdr.ipv4.isValid()", "hdr_ipv4_isValid"),
            ("register", "register_"),
            ("7", "n7"),
            ("*/", "unnamed"),
        ] {
            assert_eq!(identifier(name), made);
        }
        assert_eq!(in_comment("a*/b"), "a* /b");
    }

    #[test]
    fn names_are_given_once() {
        let text = "#define T_ADD 1 /* t_add */\nint hardpath_add(int one);\n";
        let mut names = Names::of_header(text);
        assert_eq!(names.stem("T", &["_KEY", "_ADD"]), "T_2");
        assert_eq!(names.unique("hardpath_add"), "hardpath_add_2");
        assert_eq!(names.stem("t", &["_add"]), "t");
        assert_eq!(names.unique("t_add"), "t_add_2");
        assert_eq!(names.unique("one"), "one");
    }
}
