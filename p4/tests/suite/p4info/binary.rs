//! The binary form, read back.

use super::objects::PSA;
use super::{id, info, v1model, TABLE};
use hardpath_p4::p4info::Kind;

/// A field of a message that is read back.
#[derive(Debug, PartialEq)]
pub enum Read<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message in its binary form.
pub fn fields(mut bytes: &[u8]) -> Vec<(u64, Read<'_>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for place in 0.. {
            let (first, rest) = bytes.split_first().expect("a number ends");
            *bytes = rest;
            value |= u64::from(first % 128) << (7 * place);
            if *first < 128 {
                break;
            }
        }
        value
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key % 8 {
            0 => Read::Number(varint(&mut bytes)),
            2 => {
                let count = varint(&mut bytes) as usize;
                let (counted, rest) = bytes.split_at(count);
                bytes = rest;
                Read::Bytes(counted)
            }
            kind => panic!("wire type {kind}"),
        };
        all.push((key / 8, value));
    }
    all
}

/// What stands at the end of a path of field numbers, everywhere.
pub fn at<'a>(bytes: &'a [u8], path: &[u64]) -> Vec<Read<'a>> {
    let (first, rest) = path.split_first().unwrap();
    let found = fields(bytes)
        .into_iter()
        .filter(|(number, _)| number == first);
    found
        .flat_map(|(_, value)| match (value, rest) {
            (value, []) => vec![value],
            (Read::Bytes(inner), rest) => at(inner, rest),
            (value, _) => panic!("{value:?}"),
        })
        .collect()
}

#[test]
fn the_binary_form_says_the_same() {
    let text = v1model("", TABLE, "t.apply();");
    let bytes = info(&text).unwrap().bytes();
    // `pkg_info { arch: "v1model" }`.
    assert!(
        bytes.starts_with(b"\x0a\x09\x2a\x07v1model\x12"),
        "{bytes:?}"
    );
    let numbers = |path: &[u64], wanted: &[u64]| {
        let found = at(&bytes, path);
        let wanted: Vec<Read<'_>> = wanted.iter().map(|one| Read::Number(*one)).collect();
        assert_eq!(found, wanted, "{path:?}");
    };
    numbers(&[2, 1, 1], &[33_554_723]);
    numbers(&[2, 2, 1], &[1, 2, 3, 4, 6]);
    numbers(&[2, 2, 4], &[1, 48, 4, 8, 16]);
    numbers(&[2, 2, 5], &[2, 4, 3, 5, 6]);
    numbers(&[2, 8], &[400]);
    numbers(&[2, 9], &[1]);
    numbers(&[2, 10], &[1]);
    numbers(&[2, 11], &[1]);
    numbers(&[2, 1, 6, 3, 1, 2, 2], &[1]);
    assert_eq!(at(&bytes, &[2, 1, 2]), [Read::Bytes(b"I.t")]);
    assert_eq!(at(&bytes, &[2, 5, 4, 3]), [Read::Bytes(&[3])]);
    let names = [&b"port"[..], b"queue", b"now", b"b"].map(Read::Bytes);
    assert_eq!(at(&bytes, &[3, 2, 2]), names);
    // Repeated numbers are packed: 4 bytes and 4 more of three times seven and seven bits.
    let psa = info(PSA).unwrap().bytes();
    let [Read::Bytes(packed)] = at(&psa, &[2, 7])[..] else {
        panic!("there is one field");
    };
    let number = (0..)
        .zip(packed)
        .map(|(place, byte)| u32::from(byte % 128) << (7 * place));
    assert_eq!(number.sum::<u32>(), id(Kind::DirectCounter, "I.dc"));
}

#[test]
fn negative_numbers_have_all_their_bits() {
    let text = v1model(
        "",
        "@n[-2, \"a'b\\\"c\", 0, false] table t { actions = { NoAction; } }",
        "t.apply();",
    );
    let info = info(&text).unwrap();
    let bytes = info.bytes();
    let path = [2, 1, 6, 2, 1];
    assert_eq!(
        at(&bytes, &[&path[..], &[2]].concat()),
        [Read::Number(u64::MAX - 1), Read::Number(0)]
    );
    assert_eq!(
        at(&bytes, &[&path[..], &[1]].concat()),
        [Read::Bytes(b"a'b\"c")]
    );
    assert_eq!(at(&bytes, &[&path[..], &[3]].concat()), [Read::Number(0)]);
    let text = info.text();
    for line in [
        "int64_value: -2\n",
        "string_value: \"a\\'b\\\"c\"\n",
        "int64_value: 0\n",
        "bool_value: false\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}
