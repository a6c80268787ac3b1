//! Programs and their files.

use crate::images::image;
use hardpath_core::image::file::{MAGIC, VERSION};
use hardpath_core::image::{Image, Row};
use hardpath_core::isa::{Action, Compute, Field, Operand, Operation, Reg};
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ir::{Input, Limits};
use hardpath_testkit::Random;

#[test]
fn every_image_comes_back() {
    for seed in 0..60 {
        let image = image(seed, 1 + seed as u32 * 3);
        let bytes = image.to_bytes().unwrap();
        assert_eq!(Image::from_bytes(&bytes).unwrap(), image);
    }
}

#[test]
fn every_altered_bit_is_found() {
    let bytes = image(1, 6).to_bytes().unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut altered = bytes.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        let error = Image::from_bytes(&altered).unwrap_err();
        assert_eq!(
            (error.code, error.severity),
            ("malformed-microcode", Severity::Input)
        );
    }
}

#[test]
fn a_file_that_is_cut_or_has_more_is_refused() {
    let bytes = image(2, 6).to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert!(Image::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let (length, has) = (bytes.len(), longer.len());
    assert_eq!(
        refusal(&longer).to_string(),
        format!(
            "error[malformed-microcode]: the file has {has} bytes, and says {length}\n  help: \
             compile the program again, and copy the file in binary mode"
        )
    );
}

fn refusal(bytes: &[u8]) -> Diagnostic {
    Image::from_bytes(bytes).unwrap_err()
}

/// With length and checksum as they have to be.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len() as u32;
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    let end = bytes.len() - 4;
    let sum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn what_a_forger_writes_is_an_image_or_refused() {
    let bytes = image(3, 20).to_bytes().unwrap();
    let mut random = Random::new(3);
    let mut taken = 0;
    for _ in 0..20_000 {
        let mut forged = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = 16 + random.below(forged.len() as u64 - 20) as usize;
            match random.below(3) {
                0 => forged[at] ^= 1 << random.below(8),
                1 => forged[at] = random.byte(),
                _ => drop(forged.remove(at)),
            }
        }
        let forged = seal(forged);
        if let Ok(image) = Image::from_bytes(&forged) {
            taken += 1;
            assert_eq!(image.to_bytes().unwrap(), forged);
        }
    }
    assert!(taken > 500, "{taken}");
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random::new(4);
    for _ in 0..20_000 {
        let length = random.below(200);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        assert!(Image::from_bytes(&bytes).is_err());
        if bytes.len() >= 20 {
            bytes[..8].copy_from_slice(&MAGIC);
            bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
            let _ = Image::from_bytes(&seal(bytes));
        }
    }
}

fn small() -> Image {
    Image {
        name: String::from("small"),
        lanes: 2,
        registers: 16,
        rows: vec![Row {
            lanes: vec![None, Some(add(1, 1))],
        }],
        stack: 0,
        limits: Limits::default(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        maps: Default::default(),
    }
}

/// A register and a small number.
fn add(bank: u8, b: u64) -> Operation {
    let reg = Reg { bank, index: 1 };
    Operation {
        guard: None,
        action: Action::Compute {
            op: Compute::Add,
            width: 32,
            a: Operand::Field(Field::whole(reg)),
            b: Operand::Number(b),
            to: reg,
        },
    }
}

#[test]
fn words_of_zeros_are_left_out() {
    let mut image = small();
    let words = image.words().unwrap();
    assert_eq!((words.len(), words[0]), (4, 0x70));
    assert_eq!(words[3], 1);
    image.rows[0].lanes[0] = Some(add(0, 0));
    let words = image.words().unwrap();
    assert_eq!((words.len(), words[0]), (6, 0x73));
    image.rows.push(Row {
        lanes: vec![None, None],
    });
    assert_eq!(image.words().unwrap()[6..], [0]);
}

#[test]
fn a_thousand_rows_are_small() {
    let mut image = small();
    image.lanes = 4;
    let row = |number| Row {
        lanes: (0..4)
            .map(|lane| (lane < 2 + number % 2).then(|| add(lane, 5)))
            .collect(),
    };
    image.rows = (0..1000).map(|number| row((number % 2) as u8)).collect();
    assert_eq!(image.operations(), 2500);
    assert_eq!(image.words().unwrap().len(), 1000 + 2500 * 3);
}

#[test]
fn an_image_of_no_core_is_not_written() {
    let told = |change: &dyn Fn(&mut Image)| {
        let mut image = small();
        change(&mut image);
        let error = image.to_bytes().unwrap_err();
        assert_eq!(
            (error.code, error.severity),
            ("no-binary-form", Severity::Defect)
        );
        match error.place_text().as_str() {
            "" => error.message,
            place => format!("{place}: {}", error.message),
        }
    };
    assert_eq!(
        told(&|image| image.lanes = 3),
        "a core has 1, 2, 4 or 8 lanes, not 3"
    );
    assert_eq!(
        told(&|image| image.lanes = 4),
        "row 0 has 2 lanes, the core 4"
    );
    assert_eq!(
        told(&|image| image.registers = 65),
        "a bank has 1 to 64 registers, not 65"
    );
    assert_eq!(
        told(&|image| image.rows.clear()),
        "a program has 1 to 16384 rows, not 0"
    );
    assert_eq!(
        told(&|image| image.registers = 1),
        "row 0, lane 1: an operation has no binary form: there is no register 1: the last one is 0"
    );
    let input = Action::Input {
        input: Input::Own { lo: 3, width: 4 },
        to: Reg { bank: 1, index: 0 },
    };
    let guard = None;
    let own = Operation {
        guard,
        action: input,
    };
    assert_eq!(
        told(&|image| image.rows[0].lanes[1] = Some(own)),
        "no input has 4 bits from bit 3 on"
    );
}

#[test]
fn what_is_wrong_with_a_row_is_told_with_its_place() {
    let bytes = small().to_bytes().unwrap();
    // Behind them stands the checksum.
    let words = bytes.len() - 4 - 4 * 4;
    let told = |word: usize, value: u32| {
        let mut forged = bytes.clone();
        forged[words + 4 * word..][..4].copy_from_slice(&value.to_le_bytes());
        let error = refusal(&seal(forged));
        format!("{}: {}", error.place_text(), error.message)
    };
    assert_eq!(told(0, 0x170), "row 0: a row has more lanes than the core");
    assert_eq!(told(0, 0xf0), "row 0, lane 1: the last words are missing");
    assert_eq!(told(0, 0x30), ": there are words behind the last row");
    assert_eq!(told(3, 0), "row 0, lane 1: a word of zeros is left out");
    assert_eq!(
        told(1, 31),
        "row 0, lane 1: a word is no operation: an operation has no code 31"
    );
}
