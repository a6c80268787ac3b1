//! Bit vectors against `u128` and against laws that hold at any width.

use hardpath_ir::eval::{eval_pure, eval_u64};
use hardpath_ir::{Bits, Op};

/// SplitMix64: deterministic numbers, with many zeros, ones and small values among them.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bits(&mut self, width: u32) -> Bits {
        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.next()).collect();
        let all = Bits::from_limbs(&limbs, width);
        match self.next() % 8 {
            0 => Bits::zero(width),
            1 => Bits::ones(width),
            2 => Bits::from_u64(1, width).shl(u64::from(width) - 1),
            3 => Bits::from_u64(self.next() % 4, width),
            4 => all.lshr(self.next() % u64::from(width)),
            _ => all,
        }
    }
}

fn to_u128(bits: &Bits) -> u128 {
    let high = bits.limbs().get(1).copied().unwrap_or(0);
    u128::from(bits.limbs()[0]) | u128::from(high) << 64
}

fn from_u128(value: u128, width: u32) -> Bits {
    Bits::from_limbs(&[value as u64, (value >> 64) as u64], width)
}

fn signed(value: u128, width: u32) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

#[test]
fn agrees_with_u128() {
    let mut random = Random(1);
    for round in 0..4000 {
        let width = if round < 1280 {
            round / 10 + 1
        } else {
            (random.next() % 128) as u32 + 1
        };
        let (x, y) = (random.bits(width), random.bits(width));
        let (a, b) = (to_u128(&x), to_u128(&y));
        let (sa, sb) = (signed(a, width), signed(b, width));
        let same = |result: Bits, expected: u128, what: &str| {
            assert_eq!(result, from_u128(expected, width), "{x} {what} {y}");
        };
        same(x.add(&y), a.wrapping_add(b), "add");
        same(x.sub(&y), a.wrapping_sub(b), "sub");
        same(x.mul(&y), a.wrapping_mul(b), "mul");
        same(x.neg(), a.wrapping_neg(), "neg");
        same(x.not(), !a, "not");
        same(x.and(&y), a & b, "and");
        same(x.or(&y), a | b, "or");
        same(x.xor(&y), a ^ b, "xor");
        same(x.udiv(&y), a.checked_div(b).unwrap_or(0), "udiv");
        same(x.urem(&y), a.checked_rem(b).unwrap_or(a), "urem");
        let quotient = if sb == 0 { 0 } else { sa.wrapping_div(sb) };
        let remainder = if sb == 0 { sa } else { sa.wrapping_rem(sb) };
        same(x.sdiv(&y), quotient as u128, "sdiv");
        same(x.srem(&y), remainder as u128, "srem");
        assert_eq!(x.ult(&y), a < b);
        assert_eq!(x.ule(&y), a <= b);
        assert_eq!(x.slt(&y), sa < sb);
        assert_eq!(x.sle(&y), sa <= sb);
        assert_eq!(x.is_negative(), sa < 0);
        assert_eq!(x.count_ones(), a.count_ones());
        assert_eq!(x.leading_zeros(), a.leading_zeros() - (128 - width));
        assert_eq!(x.trailing_zeros(), a.trailing_zeros().min(width));
        let distance = random.next() % (u64::from(width) + 3);
        let inside = distance < u64::from(width);
        same(
            x.shl(distance),
            if inside { a << distance } else { 0 },
            "shl",
        );
        same(
            x.lshr(distance),
            if inside { a >> distance } else { 0 },
            "lshr",
        );
        same(x.ashr(distance), (sa >> distance.min(127)) as u128, "ashr");
        let lo = (random.next() % u64::from(width)) as u32;
        let slice = x.slice(lo, width - lo);
        assert_eq!(slice, from_u128(a >> lo, width - lo));
        assert_eq!(x.sext(128), from_u128(sa as u128, 128));
        assert_eq!(x.zext(128), from_u128(a, 128));
    }
}

#[test]
fn division_at_the_edges() {
    let number = |value: i64, width| Bits::from_u64(value as u64, width);
    for width in [2, 7, 8, 63, 64, 65, 200] {
        let lowest = number(1, width).shl(u64::from(width) - 1);
        let minus_one = Bits::ones(width);
        assert_eq!(lowest.sdiv(&minus_one), lowest);
        assert_eq!(lowest.srem(&minus_one), Bits::zero(width));
        let zero = Bits::zero(width);
        for op in [Bits::udiv, Bits::sdiv] {
            assert_eq!(op(&lowest, &zero), zero);
        }
        for op in [Bits::urem, Bits::srem] {
            assert_eq!(op(&lowest, &zero), lowest);
        }
    }
    assert_eq!(number(-13, 8).sdiv(&number(3, 8)), number(-4, 8));
    assert_eq!(number(-13, 8).srem(&number(3, 8)), number(-1, 8));
    assert_eq!(number(13, 8).srem(&number(-3, 8)), number(1, 8));
}

#[test]
fn laws_at_any_width() {
    let mut random = Random(2);
    for _ in 0..400 {
        let width = (random.next() % 700) as u32 + 1;
        let (a, b, c) = (random.bits(width), random.bits(width), random.bits(width));
        assert_eq!(a.add(&b).sub(&b), a);
        assert_eq!(a.add(&b), b.add(&a));
        assert_eq!(a.mul(&b), b.mul(&a));
        assert_eq!(a.mul(&b.add(&c)), a.mul(&b).add(&a.mul(&c)));
        assert_eq!(a.neg().neg(), a);
        assert_eq!(a.not().add(&Bits::from_u64(1, width)), a.neg());
        if !b.is_zero() {
            let (quotient, remainder) = (a.udiv(&b), a.urem(&b));
            assert!(remainder.ult(&b));
            assert_eq!(quotient.mul(&b).add(&remainder), a);
        }
        assert_eq!(a.sdiv(&b).mul(&b).add(&a.srem(&b)), a);
        assert_eq!(a.xor(&b), a.or(&b).and(&a.and(&b).not()));
        let distance = random.next() % u64::from(width);
        let power = Bits::from_u64(1, width).shl(distance);
        assert_eq!(a.shl(distance), a.mul(&power));
        assert_eq!(a.lshr(distance), a.udiv(&power));
        assert_eq!(
            a.ashr(u64::MAX),
            if a.is_negative() {
                Bits::ones(width)
            } else {
                Bits::zero(width)
            }
        );
        assert_eq!(a.ult(&b), !b.ule(&a));
        assert_eq!(
            a.slt(&b),
            a.sext(width + 1).sub(&b.sext(width + 1)).is_negative()
        );
        let other = (random.next() % 200) as u32 + 1;
        let d = random.bits(other);
        let e = random.bits(1);
        let joined = Bits::concat(&[a.clone(), d.clone(), e.clone()]);
        assert_eq!(joined.width(), width + other + 1);
        assert_eq!(joined.slice(other + 1, width), a);
        assert_eq!(joined.slice(1, other), d);
        assert_eq!(joined.trunc(1), e);
        assert_eq!(
            a.sext(width + other).ashr(u64::from(other)),
            a.ashr(u64::from(other)).sext(width + other)
        );
        let shown = format!("{a:x}");
        assert_eq!(
            Bits::parse_hex(shown.trim_start_matches("0x"), width),
            Some(a.clone())
        );
        let whole = a.zext(width.next_multiple_of(8));
        assert_eq!(Bits::from_bytes(&whole.to_bytes()), whole);
    }
}

#[test]
fn hexadecimal_that_is_too_wide_is_refused() {
    assert_eq!(Bits::parse_hex("1ff", 9), Some(Bits::ones(9)));
    assert_eq!(Bits::parse_hex("0001ff", 9), Some(Bits::ones(9)));
    assert_eq!(Bits::parse_hex("3ff", 9), None);
    assert_eq!(Bits::parse_hex("", 9), None);
    assert_eq!(Bits::parse_hex("1g", 9), None);
    assert_eq!(Bits::ones(9).to_string(), "0x1ff:9");
}

#[test]
fn narrow_evaluation_agrees_with_the_wide_one() {
    let mut random = Random(3);
    let two = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::UDiv,
        Op::URem,
        Op::SDiv,
        Op::SRem,
        Op::And,
        Op::Or,
        Op::Xor,
    ];
    let compares = [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
    let check = |op: &Op, args: &[Bits], width: u32| {
        let mut words = [0; 3];
        for (word, arg) in words.iter_mut().zip(args) {
            *word = arg.low_u64();
        }
        let wide = eval_pure(op, args, width).expect("a pure operation");
        assert_eq!(wide.width(), width, "{op:?} {args:?}");
        let narrow = eval_u64(op, words, args[0].width(), width).expect("a narrow operation");
        assert_eq!(Bits::from_u64(narrow, width), wide, "{op:?} {args:?}");
        assert_eq!(
            wide.low_u64(),
            narrow,
            "{op:?} {args:?} leaves bits above its width"
        );
    };
    for _ in 0..3000 {
        let width = (random.next() % 64) as u32 + 1;
        let other = (random.next() % 64) as u32 + 1;
        let (a, b, c) = (random.bits(width), random.bits(width), random.bits(other));
        for op in &two {
            check(op, &[a.clone(), b.clone()], width);
        }
        for op in &compares {
            check(op, &[a.clone(), b.clone()], 1);
        }
        let near = Bits::from_u64(random.next() % (u64::from(width) + 2), 7);
        for op in [Op::Shl, Op::LShr, Op::AShr] {
            check(&op, &[a.clone(), c.clone()], width);
            check(&op, &[a.clone(), near.clone()], width);
        }
        check(&Op::Not, std::slice::from_ref(&a), width);
        check(&Op::Select, &[c.trunc(1), a.clone(), b.clone()], width);
        let lo = (random.next() % u64::from(width)) as u32;
        check(
            &Op::Slice { lo },
            std::slice::from_ref(&a),
            (width - lo).div_ceil(2),
        );
        let wider = width + (random.next() % u64::from(65 - width)) as u32;
        check(&Op::ZExt, std::slice::from_ref(&a), wider);
        check(&Op::SExt, std::slice::from_ref(&a), wider);
    }
    assert_eq!(eval_pure(&Op::PacketLoad, &[Bits::zero(64)], 8), None);
}
