//! What externs do, by their names: those of the core library, of the architectures, and of their descriptions.

use super::bits::Bits;
use super::calls::Passed;
use super::data::{self, Data};
use super::messages::{self, Said};
use super::meters::Meter;
use super::profiles::Profile;
use super::{hashes, Machine, Run, Stop, Way};
use crate::design::Known;
use crate::source::Span;
use crate::typed::{Call, Expression, ExpressionKind, Function};
use crate::types::Type;
use crate::value;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What an object of an extern holds.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum State {
    /// Nothing yet.
    None,
    /// Of a register: cells that were written.
    Cells(BTreeMap<u64, Data>),
    /// Of a counter: packets and bytes of cells that counted.
    Counts(BTreeMap<u64, (u64, u64)>),
    /// Of a meter: cells that were set or asked.
    Meters(BTreeMap<u64, Meter>),
    /// Of an action profile.
    Profile(Profile),
    /// Of a checksum: what was added, by its bytes.
    Bytes(Vec<u8>),
    /// Of an incremental checksum: its sum.
    Sum(u16),
}

/// What an object holds, made when it is asked for first.
macro_rules! held {
    ($machine:expr, $object:expr, $kind:path) => {{
        let state = &mut $machine.states[$object];
        if !matches!(state, $kind(_)) {
            *state = $kind(Default::default());
        }
        match state {
            $kind(held) => held,
            _ => unreachable!("it was made one"),
        }
    }};
}
pub(super) use held;

impl<'p> Machine<'p> {
    /// Bytes of the packet as it came in.
    pub(super) fn packet_bytes(&self) -> usize {
        self.arrived
    }

    pub(super) fn extern_method(
        &mut self,
        object: Data,
        method: usize,
        passed: Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let program = self.program;
        let function = &program.functions[method];
        let (owner, name) = function
            .name
            .split_once('.')
            .unwrap_or(("", &function.name));
        let object = match object {
            Data::PacketIn => return self.packet_in(name, passed, &whole.of, whole.span),
            Data::PacketOut => return self.packet_out(name, passed, whole.span),
            Data::Object(object) => object,
            _ => return self.refuse(whole.span, "this object is not made before packets come"),
        };
        match (owner, name) {
            ("counter" | "Counter", "count") | ("CounterArray", "increment") => {
                let bytes = self.counted_bytes(function, &passed);
                self.count(object, &passed, 1, bytes)
            }
            ("CounterArray", "add") => {
                let by = u64::try_from(passed.values[1].to_number()).unwrap_or(0);
                let bytes = self.counted_bytes(function, &passed);
                self.count(object, &passed, by, bytes)
            }
            // It counts what its table finds.
            ("direct_counter", "count") => Ok(Data::Void),
            ("DirectCounter", "count") => {
                let bytes = self.counted_bytes(function, &passed);
                self.count_found(object, bytes, whole.span)
            }
            ("register" | "Register", "read" | "write") => {
                self.register(object, name, passed, whole)
            }
            ("Hash", "get_hash") => self.hash_object(object, &passed, whole),
            ("Checksum16", "get") => {
                let sum = !hashes::ones_sum(&self.bytes_of(&passed, 0));
                Ok(Data::number(sum))
            }
            ("Checksum", "apply") => {
                let algorithm = self.design.algorithm(program, object);
                let sum = self.hashed(algorithm, &self.bytes_of(&passed, 0), whole.span)?;
                self.give(&passed, 1, Data::Number(sum))
            }
            ("Checksum" | "InternetChecksum", _) => self.checksum(object, name, &passed, whole),
            ("Random", "read") => {
                let low = self.design.number(object, 0);
                let high = self.design.number(object, 1);
                Ok(Data::Number(self.draw(&low, &high)))
            }
            ("Digest", "pack") => {
                let name = self.design.objects[object].name.clone();
                self.digest(name, &passed, 0, whole.span);
                Ok(Data::Void)
            }
            ("meter" | "Meter", _) => self.meter(object, function, &passed, whole),
            ("direct_meter" | "DirectMeter", _) => {
                self.direct_meter(object, function, &passed, whole)
            }
            _ => {
                let message = format!("what `{owner}.{name}` does is not known");
                self.refuse(whole.span, message)
            }
        }
    }

    pub(super) fn extern_function(
        &mut self,
        number: usize,
        call: &Call,
        passed: Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let program = self.program;
        let function = &program.functions[number];
        match function.name.as_str() {
            "verify" => match (&passed.values[0], &passed.values[1]) {
                (Data::Bool(false), Data::Member(error)) => Err(Stop::Reject(*error)),
                _ => Ok(Data::Void),
            },
            "mark_to_drop" => self.refuse(whole.span, "`mark_to_drop()` has an argument today"),
            "random" => {
                let (low, high) = (passed.values[1].to_number(), passed.values[2].to_number());
                let drawn = Data::Number(self.draw(&low, &high));
                self.give(&passed, 0, drawn)
            }
            "hash" => self.hash_function(&passed, whole),
            "verify_checksum" | "verify_checksum_with_payload" => {
                self.verify_checksum(&function.name, &passed, whole)
            }
            "update_checksum" | "update_checksum_with_payload" => {
                if passed.values[0] != Data::Bool(true) {
                    return Ok(Data::Void);
                }
                let sum = self.checksum_of(&function.name, &passed, whole)?;
                self.give(&passed, 2, Data::Number(sum))
            }
            "truncate" => {
                let length = usize::try_from(passed.values[0].to_number()).unwrap_or(usize::MAX);
                self.truncate = Some(length);
                Ok(Data::Void)
            }
            "log_msg" => {
                let Data::Text(text) = &passed.values[0] else {
                    return Ok(Data::Void);
                };
                let data = passed.values.get(1).zip(passed.types.get(1));
                let text = messages::filled(&program.types, text, data);
                self.say(whole.span, Said::Log(text));
                Ok(Data::Void)
            }
            "assert" | "assume" => {
                if passed.values[0] == Data::Bool(false) {
                    self.say(whole.span, Said::Fails(function.name.clone()));
                }
                Ok(Data::Void)
            }
            "digest" => {
                let name = match &passed.types[1] {
                    Type::Record(number) => program.types.records[*number].name.clone(),
                    _ => String::new(),
                };
                self.digest(name, &passed, 1, whole.span);
                Ok(Data::Void)
            }
            "add_entry" => self.add_entry(&passed, whole.span),
            // Entries that packets add do not expire, and others live on by being found.
            "set_entry_expire_time" | "restart_expire_timer" => Ok(Data::Void),
            "csum_replace2" | "csum_replace4" => Ok(csum_replace(&passed)),
            "ebpf_ipv4_checksum" => {
                let mut bits = Bits::default();
                for (at, (data, of)) in passed.values.iter().zip(&passed.types).enumerate() {
                    bits.push_data(&program.types, data, of, false);
                    if at == 8 {
                        // Where the checksum itself stands.
                        bits.push(&BigInt::from(0), 16);
                    }
                }
                Ok(Data::number(!hashes::ones_sum(&bits.into_bytes())))
            }
            name if name.starts_with("hardpath_") => self.support(name, call, &passed, whole),
            name => {
                let message = format!("what the extern function `{name}` does is not known");
                self.refuse(whole.span, message)
            }
        }
    }

    /// Each `apply` of what makes them begins with checksums of nothing (PSA, section "Checksums").
    pub(super) fn clear_checksums(&mut self, owner: usize) {
        let design = self.design;
        for object in design.objects[owner].inner.values() {
            self.clear_checksum(*object);
        }
    }

    pub(super) fn clear_checksum(&mut self, object: usize) {
        let state = &mut self.states[object];
        if matches!(state, State::Bytes(_) | State::Sum(_)) {
            *state = State::None;
        }
    }

    fn digest(&mut self, name: String, passed: &Passed, at: usize, span: Span) {
        let types = &self.program.types;
        let fields = messages::fields(types, &passed.values[at], &passed.types[at]);
        self.say(span, Said::Digest { name, fields });
    }

    /// What descriptions of architectures call.
    fn support(
        &mut self,
        name: &str,
        call: &Call,
        passed: &Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let number = |at: usize| {
            let number = passed.values[at].to_number();
            u32::try_from(number).unwrap_or(u32::MAX)
        };
        match name {
            "hardpath_drop" => self.way = Way::Nowhere,
            "hardpath_send" => self.way = Way::Port(number(0)),
            "hardpath_send_back" => self.way = Way::Back,
            "hardpath_send_to_host" => self.way = Way::Host(number(0)),
            "hardpath_queue" => {
                if self.way == Way::Nowhere {
                    return Err(Stop::Exit);
                }
            }
            "hardpath_turn_around" => self.turn_around(),
            "hardpath_write_over" => self.write_over(),
            "hardpath_rewind" => self.packet.rewind(),
            "hardpath_rejected" => return Ok(Data::Bool(self.rejected)),
            "hardpath_note" => self.noted = number(0) as u8,
            "hardpath_noted" => return Ok(Data::number(self.noted)),
            "hardpath_checksum_failed" => return Ok(Data::Bool(self.checksum_failed)),
            "hardpath_refuse" | "hardpath_lose" => {
                let why = match call.arguments.first() {
                    Some(Some(Expression {
                        kind: ExpressionKind::Value(value::Value::Text(text)),
                        ..
                    })) => text.clone(),
                    _ => "this".into(),
                };
                return self.refuse(whole.span, format!("{why} is not there yet"));
            }
            _ => {
                let message = format!("what the extern function `{name}` does is not known");
                return self.refuse(whole.span, message);
            }
        }
        Ok(Data::Void)
    }

    /// Writes what comes out of a parameter, in the type that the argument has.
    pub(super) fn give(&mut self, passed: &Passed, at: usize, data: Data) -> Run<Data> {
        let of = self.program.types.number_type(&passed.types[at]);
        let data = match data {
            Data::Number(number) => Data::Number(value::in_type(number, of)),
            other => other,
        };
        if let Some(place) = &passed.places[at] {
            self.write(place, data);
        }
        Ok(Data::Void)
    }

    /// All bits of an argument, as bytes.
    fn bytes_of(&self, passed: &Passed, at: usize) -> Vec<u8> {
        let mut bits = Bits::default();
        bits.push_data(
            &self.program.types,
            &passed.values[at],
            &passed.types[at],
            false,
        );
        bits.into_number()
    }

    /// The bytes of a packet; DPDK's counters are told how many these are.
    pub(super) fn counted_bytes(&self, function: &Function, passed: &Passed) -> u64 {
        match passed_length(function, &passed.given) {
            Some(at) => u64::try_from(passed.values[at].to_number()).unwrap_or(0),
            None => self.packet_bytes() as u64,
        }
    }

    fn count(&mut self, object: usize, passed: &Passed, by: u64, bytes: u64) -> Run<Data> {
        let index = passed.values[0].to_number();
        let size = self.design.number(object, 0);
        if index >= BigInt::from(0) && index < size {
            let index = u64::try_from(index).unwrap_or(0);
            let counts = self.counts(object).entry(index).or_default();
            counts.0 += by;
            counts.1 += bytes;
        }
        Ok(Data::Void)
    }

    /// What a counter has counted, by its cells: packets and bytes.
    pub fn counts(&mut self, object: usize) -> &mut BTreeMap<u64, (u64, u64)> {
        held!(self, object, State::Counts)
    }

    /// The cells of a register that were written.
    pub fn cells(&mut self, object: usize) -> &mut BTreeMap<u64, Data> {
        held!(self, object, State::Cells)
    }

    /// `read(out result, index)` of v1model, `read(index)` of PSA; `write(index, value)` of both.
    fn register(
        &mut self,
        object: usize,
        name: &str,
        passed: Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let at = match (name, passed.values.len()) {
            ("read", 2) => 1,
            _ => 0,
        };
        let index = passed.values[at].to_number();
        let size = self.design.number(object, 0);
        let is_inside = index >= BigInt::from(0) && index < size;
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        if name == "write" {
            if is_inside {
                self.cells(object).insert(index, passed.values[1].clone());
            }
            return Ok(Data::Void);
        }
        let of = match at {
            1 => passed.types[0].clone(),
            _ => whole.of.clone(),
        };
        let first = match self.design.argument(object, 1) {
            Some(Known::Value(value)) => data::from_value(&self.program.types, value, &of),
            _ => data::zero(&self.program.types, &of),
        };
        let found = self.cells(object).get(&index).cloned().unwrap_or(first);
        match at {
            0 if is_inside => Ok(found),
            0 => Ok(data::zero(&self.program.types, &of)),
            _ => {
                if is_inside {
                    if let Some(place) = &passed.places[0] {
                        self.write(place, found);
                    }
                }
                Ok(Data::Void)
            }
        }
    }

    /// The name of a member of an enum that an argument is.
    fn algorithm(&self, data: &Data, of: &Type) -> &'p str {
        let name = match data {
            Data::Member(member) => self.program.types.member_name(of, *member),
            _ => None,
        };
        name.unwrap_or("")
    }

    pub(super) fn hashed(&mut self, algorithm: &str, bytes: &[u8], span: Span) -> Run<BigInt> {
        if algorithm.eq_ignore_ascii_case("random") {
            let most = BigInt::from(u32::MAX);
            return Ok(self.draw(&BigInt::from(0), &most));
        }
        match hashes::by_name(algorithm, bytes) {
            Some(hash) => Ok(hash),
            None => {
                let message = format!("the algorithm `{algorithm}` is not there");
                self.refuse(span, message)
            }
        }
    }

    /// v1model: base + hash % max.
    fn hash_function(&mut self, passed: &Passed, whole: &Expression) -> Run<Data> {
        let algorithm = self.algorithm(&passed.values[1], &passed.types[1]);
        if passed.values.len() == 3 {
            let bytes = self.bytes_of(passed, 2);
            let hash = self.hashed(algorithm, &bytes, whole.span)?;
            return self.give(passed, 0, Data::Number(hash));
        }
        let bytes = self.bytes_of(passed, 3);
        let hash = self.hashed(algorithm, &bytes, whole.span)?;
        let (base, most) = (passed.values[2].to_number(), passed.values[4].to_number());
        let hash = match most == BigInt::from(0) {
            true => base,
            false => base + hash % most,
        };
        self.give(passed, 0, Data::Number(hash))
    }

    /// PSA's `Hash`.
    fn hash_object(&mut self, object: usize, passed: &Passed, whole: &Expression) -> Run<Data> {
        let algorithm = self.design.algorithm(self.program, object);
        let of = self.program.types.number_type(&whole.of);
        let at = match passed.values.len() {
            1 => 0,
            _ => 1,
        };
        let bytes = self.bytes_of(passed, at);
        let mut hash = self.hashed(algorithm, &bytes, whole.span)?;
        if at == 1 {
            let most = passed.values[2].to_number();
            let rest = match most == BigInt::from(0) {
                true => BigInt::from(0),
                false => hash % most,
            };
            hash = passed.values[0].to_number() + rest;
        }
        Ok(Data::Number(value::in_type(hash, of)))
    }

    /// The checksum over the data of v1model's functions, whose last argument is the algorithm.
    fn checksum_of(&mut self, name: &str, passed: &Passed, whole: &Expression) -> Run<BigInt> {
        let algorithm = self.algorithm(&passed.values[3], &passed.types[3]);
        let mut bytes = self.bytes_of(passed, 1);
        if name.ends_with("_with_payload") {
            bytes.extend(self.packet.rest());
        }
        self.hashed(algorithm, &bytes, whole.span)
    }

    fn verify_checksum(&mut self, name: &str, passed: &Passed, whole: &Expression) -> Run<Data> {
        if passed.values[0] == Data::Bool(true) {
            let of = self.program.types.number_type(&passed.types[2]);
            let sum = value::in_type(self.checksum_of(name, passed, whole)?, of);
            self.checksum_failed |= sum != passed.values[2].to_number();
        }
        Ok(Data::Void)
    }

    /// PSA's `Checksum` and `InternetChecksum`.
    fn checksum(
        &mut self,
        object: usize,
        name: &str,
        passed: &Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let of = self.program.types.number_type(&whole.of);
        let algorithm = self.design.algorithm(self.program, object);
        // That of an `InternetChecksum` needs no name.
        if !algorithm.is_empty() {
            let mut bytes = match std::mem::replace(&mut self.states[object], State::None) {
                State::Bytes(bytes) => bytes,
                _ => Vec::new(),
            };
            let mut gives = Data::Void;
            match name {
                "clear" => bytes.clear(),
                "update" => bytes.extend(self.bytes_of(passed, 0)),
                "get" => {
                    let sum = self.hashed(algorithm, &bytes, whole.span)?;
                    gives = Data::Number(value::in_type(sum, of));
                }
                _ => return self.refuse(whole.span, format!("a checksum has no `{name}`")),
            }
            self.states[object] = State::Bytes(bytes);
            return Ok(gives);
        }
        let before = match self.states[object] {
            State::Sum(sum) => sum,
            _ => 0,
        };
        let added = |one: u16, other: u16| {
            let bytes = [one.to_be_bytes(), other.to_be_bytes()].concat();
            hashes::ones_sum(&bytes)
        };
        let sum = match name {
            "clear" => 0,
            "add" => added(before, hashes::ones_sum(&self.bytes_of(passed, 0))),
            "subtract" => added(before, !hashes::ones_sum(&self.bytes_of(passed, 0))),
            // XSA has a parameter for it.
            "get" if !passed.values.is_empty() => {
                return self.give(passed, 0, Data::number(!before));
            }
            "get" => return Ok(Data::number(!before)),
            "get_state" => return Ok(Data::number(before)),
            "set_state" => u16::try_from(passed.values[0].to_number()).unwrap_or(0),
            _ => return self.refuse(whole.span, format!("a checksum has no `{name}`")),
        };
        self.states[object] = State::Sum(sum);
        Ok(Data::Void)
    }

    /// xorshift64*, of Vigna's paper: any good enough sequence does.
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number between two, both included.
    fn draw(&mut self, low: &BigInt, high: &BigInt) -> BigInt {
        let drawn = match self.drawn {
            Some(drawn) => BigInt::from(drawn),
            None => BigInt::from(self.next_random()),
        };
        match high < low {
            true => low.clone(),
            false => low + drawn % (high - low + 1),
        }
    }
}

/// The place of the argument that says how long a packet is, if there is one.
pub fn passed_length(function: &Function, given: &[bool]) -> Option<usize> {
    let mut parameters = function.parameters.iter().zip(given);
    parameters.position(|(one, given)| one.name == "pkt_len" && *given)
}

/// RFC 1624: a checksum behind a change of what is in it.
fn csum_replace(passed: &Passed) -> Data {
    let words = |data: &Data| {
        let (_, mut bytes) = data.to_number().to_bytes_be();
        while bytes.len() % 4 != 0 {
            bytes.insert(0, 0);
        }
        hashes::ones_sum(&bytes)
    };
    let [sum, old, new] = [0, 1, 2].map(|at| words(&passed.values[at]));
    let all = [!sum, !old, new].map(u16::to_be_bytes).concat();
    Data::number(!hashes::ones_sum(&all))
}
