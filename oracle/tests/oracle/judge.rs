//! Starting the kernel as judge, where it can be asked.

use hardpath_ebpf::{Object, ProgramImage};
use hardpath_ir::maps::Image;
use hardpath_oracle::{Form, JudgeOptions, KernelJudge};
use hardpath_packet::Sideband;

pub const CONTEXT: Sideband = Sideband {
    ingress: 1,
    queue: 0,
    egress: 0,
    time_ns: 0x1122_3344_5566_7788,
    random: 0x9abc_def0,
    own: 0,
};

/// A judge, or `None` where the kernel cannot be asked. With HARDPATH_REQUIRE_KERNEL=1 it must be.
pub fn try_start(object: &Object, image: Image) -> Option<KernelJudge> {
    try_start_program(object, &object.programs[0], image)
}

/// The same for any program of an object.
pub fn try_start_program(
    object: &Object,
    program: &ProgramImage,
    image: Image,
) -> Option<KernelJudge> {
    let options = JudgeOptions {
        image,
        ..JudgeOptions::default()
    };
    try_start_with(object, program, options)
}

/// The same with the program in another form.
pub fn try_start_form(object: &Object, image: Image, form: Form) -> Option<KernelJudge> {
    let options = JudgeOptions {
        image,
        form,
        ..JudgeOptions::default()
    };
    try_start_with(object, &object.programs[0], options)
}

fn try_start_with(
    object: &Object,
    program: &ProgramImage,
    options: JudgeOptions,
) -> Option<KernelJudge> {
    match KernelJudge::start(object, program, &options) {
        Ok(judge) => Some(judge),
        Err(error) if error.code == "kernel-unavailable" => {
            let required = std::env::var("HARDPATH_REQUIRE_KERNEL").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            eprintln!("note: not tested, {}", error.message);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A 32-bit number as a key or value.
pub fn word(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

/// A 64-bit number as a key or value.
pub fn double(value: u64) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

/// Numbers that look random and are the same in every run (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}
