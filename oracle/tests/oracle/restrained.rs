//! The form of a program that the verifier leaves whole, and when it is asked for.

use crate::assembly::*;
use crate::judge::{double, try_start_form, word, CONTEXT};
use hardpath_ebpf::{lift_returned, Object};
use hardpath_ir::maps::Image;
use hardpath_oracle::{ask, Asked, Expected, ExpectedMaps, Form, Reference};
use hardpath_packet::Sideband;

/// Two ways to a fetching atomic operation on the stack, and a byte there that tells them apart. Linux 6.18 takes them for
/// one, and then removes what only packets with a first byte that is not 0 come to: a count and this verdict.
fn forgetful(verdict: i32) -> Object {
    let seen = [
        map_value(1, 0, 0),
        set(2, 1),
        atomic_add(1, 0, 2),
        set(0, verdict),
        exit(),
    ];
    object(
        vec![object_map("seen", ARRAY, 4, 8, 1)],
        &[
            packet_in_r6(14),
            set(0, 2),
            load(BYTE, 2, 6, 0),
            set(1, 0),
            store(DOUBLE, 10, -8, 1),
            jump_imm(NOT_EQUAL, 2, 0, 4),
            set(1, 0),
            atomic_fetch_or(10, -8, 1),
            jump_imm(NOT_EQUAL, 1, 0, 4),
            exit(),
            set(1, 255),
            store(BYTE, 10, -4, 1),
            jump(-6),
            seen.concat(),
        ],
    )
}

/// Every third packet takes the second way.
fn packets() -> Vec<(Vec<u8>, Sideband)> {
    let packet = |number: u8| vec![u8::from(number.is_multiple_of(3)); 60];
    (0..100).map(|number| (packet(number), CONTEXT)).collect()
}

struct Answers {
    packets: Vec<Expected>,
    maps: ExpectedMaps,
}

impl Answers {
    fn disagreements(&self) -> u64 {
        let packets = self.packets.iter();
        let packets = packets.filter(|packet| packet.disagreement.is_some());
        (packets.count() + self.maps.disagreements.len()) as u64
    }
}

/// Asks the kernel about [`forgetful`]; the interpreter runs `understood`. `None`: it cannot be asked.
fn asked(understood: &Object) -> Option<Asked<Answers>> {
    let image = Image::from([("seen".into(), [(word(0), double(1000))].into())]);
    let program = lift_returned(understood, &understood.programs[0]).unwrap();
    let question = |form| {
        let kernel = try_start_form(&forgetful(1), image.clone(), form).ok_or(())?;
        let mut reference = Reference::new(&program, &image, Some(kernel)).unwrap();
        Ok::<_, ()>(Answers {
            packets: reference.run_all(&packets()).unwrap(),
            maps: reference.maps().unwrap(),
        })
    };
    ask(question, Answers::disagreements).ok()
}

#[test]
fn what_the_verifier_removed_is_in_the_second_answer() {
    let Some(Asked { answer, .. }) = asked(&forgetful(1)) else {
        return;
    };
    assert_eq!(answer.disagreements(), 0);
    for ((packet, _), answer) in packets().iter().zip(&answer.packets) {
        assert!(answer.judged);
        assert_eq!(answer.fate.outputs[1], 2 - u64::from(packet[0]));
    }
    // Each packet counted once, from what was there before the first.
    assert_eq!(answer.maps.image["seen"][&word(0)], double(1034));
}

#[test]
fn no_answer_is_made_up_for_an_interpreter_that_is_wrong() {
    let Some(Asked { answer, .. }) = asked(&forgetful(3)) else {
        return;
    };
    let wrong = packets()
        .iter()
        .filter(|(packet, _)| packet[0] == 1)
        .count();
    assert_eq!(answer.disagreements(), wrong as u64);
    assert!(answer
        .packets
        .iter()
        .all(|packet| packet.fate.outputs[1] != 3));
}

#[test]
fn a_better_answer_is_taken_and_no_other_one() {
    // Disagreements in the answer to each form; `Err`: it cannot be asked.
    let asked = |plain: Result<u64, ()>, restrained: Result<u64, ()>| {
        let question = |form| match form {
            Form::AsItIs => plain,
            Form::Restrained => restrained,
        };
        ask(question, |answer| *answer)
    };
    let taken = |answer, again| Ok(Asked { answer, again });
    assert_eq!(asked(Ok(0), Err(())), taken(0, false));
    assert_eq!(asked(Ok(5), Ok(0)), taken(0, true));
    assert_eq!(asked(Ok(5), Ok(4)), taken(4, true));
    assert_eq!(asked(Ok(5), Ok(5)), taken(5, false));
    assert_eq!(asked(Ok(5), Err(())), taken(5, false));
    assert_eq!(asked(Err(()), Ok(0)), Err(()));
}
