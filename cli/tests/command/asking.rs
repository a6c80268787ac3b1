//! The kernel is asked again where its verifier removed what runs. The program is compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use crate::packets::write_made;

#[test]
fn a_branch_that_the_verifier_removes_is_no_error_of_ours() {
    let Some((place, object)) = compile("fetch") else {
        return;
    };
    let capture = place.path().join("both.pcap");
    write_made(&capture, 600, |numbers| {
        let mut packet = vec![0; 60];
        packet[0] = numbers.pick(&[0, 1]);
        packet
    });
    let judge = judge();
    let run = hardpath(&[
        "check",
        path(&object),
        "--pcap",
        path(&capture),
        "--against",
        judge,
        "--json",
    ]);
    let answer = run.json();
    assert_eq!(
        (run.status, &answer["mismatches"]),
        (0, &0.into()),
        "{answer}"
    );
    if judge == "kernel" {
        assert_eq!(answer["judged_by_kernel"], 600, "{answer}");
    }
}
