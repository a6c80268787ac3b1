//! The packets of all files below `cases/` on a processor.

use hardpath_filetests::core::OnCore;
use hardpath_filetests::hardware::MANNERS;
use hardpath_filetests::{case, packets};
use hardpath_oracle::compare::compare_packet;
use hardpath_packet::Packet;

#[test]
fn packets_of_files_on_a_processor() {
    let cases = case::all();
    let cases: Vec<_> = cases
        .iter()
        .filter(|case| case.line("packet").is_some())
        .collect();
    assert!(cases.len() > 5, "{} files have packets", cases.len());
    for (number, case) in cases.into_iter().enumerate() {
        let expected = packets::of(case);
        let sent: Vec<Packet> = expected.iter().map(|one| one.packet.clone()).collect();
        let threads = [16, 1, 2, 32][number % 4];
        let mut core = OnCore::new(&case.text, threads, [512, 64][number % 2]);
        let image = packets::maps(case, &core.program).image();
        for manner in MANNERS {
            core.reset(&image);
            let result = core.send(&sent, manner);
            for (number, (one, got)) in expected.iter().zip(&result.outcomes).enumerate() {
                let difference = compare_packet(&one.fate, got.as_ref(), &core.program.outputs);
                assert_eq!(difference, None, "{}: packet {number}", case.name);
            }
            packets::assert_holds(case, &core.dump(), "by the processor");
        }
    }
}
