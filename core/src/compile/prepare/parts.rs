//! Whole values of maps that are only accessed in parts ([`crate::long`]) are written through their entry.
//!
//! ```text
//!                                           v4:1, v5 = map.lookup @table v0
//! v3:3 = map.update @table v0, v1, v2   →   map.store @table (v5, or no entry where the update is refused), 0, v1
//!                                           v3:3 = the answer
//! ```

use crate::long::in_parts;
use hardpath_ir::{Answer, Bits, Inst, InstData, MapId, May, Op, PlaceId, Program, Value};

/// An entry that no map has: a store there changes nothing.
const NO_ENTRY: u32 = u32::MAX;

/// Each update of such a map becomes what it does.
pub fn write_in_parts(program: &mut Program) {
    for block in program.order.clone() {
        let insts = std::mem::take(&mut program.blocks[block].insts);
        let mut all = Vec::with_capacity(insts.len());
        for inst in insts {
            let map = match program.insts[inst].op {
                Op::MapUpdate(map) if in_parts(&program.maps[map]) => Some(map),
                _ => None,
            };
            if let Some(map) = map {
                all.extend(parts(program, inst, map));
            }
            all.push(inst);
        }
        program.blocks[block].insts = all;
    }
}

/// Instructions that do what an update does; it becomes the choice of its answer itself.
fn parts(program: &mut Program, update: Inst, map: MapId) -> Vec<Inst> {
    let InstData { args, place, .. } = program.insts[update].clone();
    let [key, value, may] = args[..] else {
        unreachable!("the verifier has counted them")
    };
    let mut make = Make {
        program,
        place,
        made: Vec::new(),
    };
    let [hit, entry] = make.results(Op::MapLookup(map), vec![key], &[1, 32])[..] else {
        unreachable!("a lookup has two results")
    };
    let [creates, nothing] = [May::CREATE, May::NOTHING].map(|bits| {
        let bits = make.constant(bits.bits(), May::BITS);
        make.result(Op::Eq, vec![may, bits], 1)
    });
    let refused = make.result(Op::Or, vec![creates, nothing], 1);
    let none = make.constant(NO_ENTRY, 32);
    let there = make.result(Op::Select, vec![hit, entry, none], 32);
    let written = make.result(Op::Select, vec![refused, none, there], 32);
    let first = make.constant(0, 32);
    make.results(Op::MapStore(map), vec![written, first, value], &[]);
    let mut answer = make.answer(Answer::Done);
    for (condition, other) in [(creates, Answer::Exists), (nothing, Answer::Refused)] {
        let other = make.answer(other);
        answer = make.result(Op::Select, vec![condition, other, answer], Answer::BITS);
    }
    let bad_index = make.answer(Answer::BadIndex);
    let made = make.made;
    let data = &mut program.insts[update];
    data.op = Op::Select;
    data.args = vec![hit, answer, bad_index];
    made
}

struct Make<'a> {
    program: &'a mut Program,
    place: Option<PlaceId>,
    made: Vec<Inst>,
}

impl Make<'_> {
    fn results(&mut self, op: Op, args: Vec<Value>, widths: &[u32]) -> Vec<Value> {
        let inst = self.program.make_inst(op, args, widths, self.place);
        self.made.push(inst);
        self.program.insts[inst].results.clone()
    }

    fn result(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        self.results(op, args, &[width])[0]
    }

    fn constant(&mut self, number: u32, width: u32) -> Value {
        let bits = Bits::from_u64(number.into(), width);
        self.result(Op::Const(bits), Vec::new(), width)
    }

    fn answer(&mut self, answer: Answer) -> Value {
        self.constant(answer.code(), Answer::BITS)
    }
}
