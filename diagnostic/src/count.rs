//! Numbers in sentences.

/// 1234567 → `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, `what` being one of them: `1 stage`, `12 entries`.
pub fn counted(number: impl TryInto<u64>, what: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", grouped(number), noun(number, what))
}

/// `what`, or several of it where `number` is not one.
fn noun(number: u64, what: &str) -> String {
    if number == 1 {
        return what.to_owned();
    }
    let vowel = |letter: char| "aeiou".contains(letter);
    match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with(vowel) => format!("{stem}ies"),
        _ if what.ends_with(['s', 'x']) => format!("{what}es"),
        _ => format!("{what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(123_456), "123,456");
    }

    #[test]
    fn one_is_one() {
        let said = |number: u64, what| counted(number, what);
        assert_eq!(said(1, "stage"), "1 stage");
        assert_eq!(said(0, "stage"), "0 stages");
        assert_eq!(said(1, "entry"), "1 entry");
        assert_eq!(said(1024, "entry"), "1,024 entries");
        assert_eq!(said(2, "key"), "2 keys");
        assert_eq!(said(2, "prefix"), "2 prefixes");
    }
}
