//! A failing subject is made small.

use hardpath_fuzz::minimize::{minimize, Scope};
use hardpath_fuzz::session::subject;
use hardpath_fuzz::{Failure, Features, Layer, Subject};

/// Fails when the program multiplies and byte 3 of some packet is odd.
fn fails(subject: &Subject) -> Option<Failure> {
    let multiplies = subject
        .code
        .units
        .iter()
        .any(|unit| unit.insn.code & 0xf7 == 0x27);
    let packet = subject
        .packets
        .iter()
        .position(|packet| packet.data[3] & 1 == 1)?;
    multiplies.then(|| Failure {
        layer: Layer::Native,
        packet: Some(packet),
        text: String::from("odd"),
    })
}

fn failing_subjects() -> impl Iterator<Item = (Subject, Failure)> {
    let features = Features::default();
    let all = (0..).map(move |seed| subject(seed, 0, 10, features));
    all.filter_map(|subject| fails(&subject).map(|failure| (subject, failure)))
}

#[test]
fn what_does_not_matter_goes() {
    for (subject, failure) in failing_subjects().take(10) {
        let (small, failure) = minimize(&subject, &failure, Scope::Everything, &mut fails);
        assert_eq!(fails(&small).as_ref(), Some(&failure));
        assert_eq!(small.code.units.len(), 1, "{small:?}");
        assert_eq!(small.packets.len(), 1);
        assert_eq!(small.packets[0].data.len(), 14);
        let mut others = small.packets[0].data.iter().enumerate();
        assert!(others.all(|(place, byte)| place == 3 || *byte == 0));
        assert!(small.image.is_empty());
        assert_eq!(
            (small.hardware.gaps, small.hardware.backpressure),
            (None, None)
        );
    }
}

#[test]
fn without_a_kernel_the_program_stays() {
    for (subject, failure) in failing_subjects().take(5) {
        let (small, _) = minimize(&subject, &failure, Scope::PacketsOnly, &mut fails);
        assert_eq!(small.code, subject.code);
        assert_eq!(small.packets.len(), 1);
    }
}
