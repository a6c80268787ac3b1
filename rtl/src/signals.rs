//! Ports as fields of structs: what is connected is found by the compiler, not by a name at run time.
//!
//! [`signals!`](crate::signals) makes a struct of ports; what its fields hold depends on where it stands: widths in bits while a
//! module is described, [`Node`]s of the module inside it, nodes of the parent around it. The function of a block gives a
//! [`Block`], the module with its structs, and [`Block::place`] instantiates it.

use crate::{Clock, Design, Instance, Module, ModuleId, Node};

/// Several ports, in the order of the text.
pub trait Signals: Sized {
    /// What each port holds: its width in bits, a node.
    type Item;
    /// The same ports with something else in each.
    type With<U>;

    /// Goes through all ports that are there: name, what stands beside it as a comment, what it holds.
    fn map<U>(self, each: &mut dyn FnMut(&str, &'static str, Self::Item) -> U) -> Self::With<U>;

    /// What the ports are called.
    fn names(self) -> Vec<String> {
        let mut names = Vec::new();
        self.map(&mut |name, _, _| names.push(name.to_owned()));
        names
    }
}

/// Structs of nodes: what blocks take and give.
pub trait Ports: Signals<Item = Node, With<Node> = Self> {}
impl<S: Signals<Item = Node, With<Node> = S>> Ports for S {}

/// A module, and its ports as nodes in it: inputs `I`, outputs `O`.
pub struct Block<I, O> {
    /// With all its ports declared.
    pub module: Module,
    inputs: I,
    outputs: O,
}

/// A block as an instance in another module: the nodes of its outputs there.
#[derive(Clone)]
pub struct Placed<O> {
    /// The instance in the module around it.
    pub instance: Instance,
    /// The outputs, as nodes of the module around it.
    pub out: O,
}

impl<I, O> From<Block<I, O>> for Module {
    fn from(block: Block<I, O>) -> Module {
        block.module
    }
}

impl Module {
    /// Declares inputs. `widths`: in bits.
    pub fn inputs<S: Signals<Item = u32>>(&mut self, widths: S) -> S::With<Node> {
        widths.map(&mut |name, doc, width| self.input(name, width, doc))
    }

    /// Gives wires their values ([`Module::drive`]).
    pub fn drive_ports<P: Ports>(&mut self, wires: P, values: P) {
        let mut nodes = Vec::new();
        values.map(&mut |_, _, node| {
            nodes.push(node);
            node
        });
        let mut nodes = nodes.into_iter();
        wires.map(&mut |name, _, wire| {
            let node = nodes.next();
            self.drive(wire, node.unwrap_or_else(|| panic!("no value for {name}")));
            wire
        });
    }

    /// Declares outputs.
    pub fn outputs<O: Ports>(&mut self, outputs: O) -> O {
        outputs.map(&mut |name, doc, node| {
            self.output(name, node, doc);
            node
        })
    }

    /// The module is complete, and [`Module::outputs`] has declared all its outputs: those of each clock while it was chosen
    /// ([`Module::on`]).
    pub fn into_block_as_declared<I: Ports, O: Ports>(self, inputs: I, outputs: O) -> Block<I, O> {
        Block {
            module: self,
            inputs,
            outputs,
        }
    }

    /// Declares outputs: the module is complete. `inputs`: what [`Module::inputs`] gave.
    pub fn into_block<I: Ports, O: Ports>(mut self, inputs: I, outputs: O) -> Block<I, O> {
        let outputs = self.outputs(outputs);
        Block {
            module: self,
            inputs,
            outputs,
        }
    }
}

impl<I: Ports, O: Ports> Block<I, O> {
    /// The inputs, as nodes of the module.
    pub fn inputs(&self) -> &I {
        &self.inputs
    }

    /// Wires in a parent for all inputs, which are driven when what they take is known. `prefix`: in front of their names.
    pub fn input_wires(&self, parent: &mut Module, prefix: &str) -> I
    where
        I: Clone,
    {
        self.wires(parent, prefix, |inputs| inputs)
    }

    /// The same for some of the inputs.
    pub fn wires<P: Ports + Clone>(
        &self,
        parent: &mut Module,
        prefix: &str,
        part: impl FnOnce(&I) -> &P,
    ) -> P {
        part(&self.inputs).clone().map(&mut |name, _, node| {
            let width = self.module.width(node);
            parent.wire(width, format!("{prefix}_{name}"))
        })
    }

    /// Adds the module, which has one clock, to the design, and an instance of it to the parent.
    pub fn place(
        self,
        design: &mut Design,
        parent: &mut Module,
        name: impl Into<String>,
        inputs: I,
    ) -> Placed<O> {
        let clock = parent.current_clock;
        self.place_on(design, parent, name, &[clock], inputs)
    }

    /// The same of a module with any number of clocks. `clocks`: which clocks of the parent they are, in their order.
    pub fn place_on(
        self,
        design: &mut Design,
        parent: &mut Module,
        name: impl Into<String>,
        clocks: &[Clock],
        inputs: I,
    ) -> Placed<O> {
        let id = design.add(self.module);
        let callee = (&design.modules[id], id);
        instantiate(callee, parent, (name.into(), clocks), inputs, self.outputs)
    }

    /// As [`Block::place`], of a block of which there are several: the design has a module of that name once. Blocks of one name are
    /// made in the same way.
    pub fn place_another(
        self,
        design: &mut Design,
        parent: &mut Module,
        name: impl Into<String>,
        inputs: I,
    ) -> Placed<O> {
        let found = design.find(&self.module.name);
        let id = found.unwrap_or_else(|| design.add(self.module));
        let callee = (&design.modules[id], id);
        let clock = parent.current_clock;
        instantiate(
            callee,
            parent,
            (name.into(), &[clock]),
            inputs,
            self.outputs,
        )
    }
}

/// `outputs`: nodes of the module, which are replaced by those of the parent.
fn instantiate<I: Ports, O: Ports>(
    (module, id): (&Module, ModuleId),
    parent: &mut Module,
    (name, clocks): (String, &[Clock]),
    inputs: I,
    outputs: O,
) -> Placed<O> {
    let mut given: Vec<(String, Node)> = Vec::new();
    inputs.map(&mut |name, _, node| given.push((name.to_owned(), node)));
    let given: Vec<(&str, Node)> = given
        .iter()
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let instance = parent.instance_of_clocks(module, id, name, clocks, &given);
    let out = outputs.map(&mut |name, _, _| parent.instance_output(module, instance, name));
    Placed { instance, out }
}

/// Makes a struct of ports.
///
/// ```
/// hardpath_rtl::signals! {
///     /// One key of a table.
///     pub struct Key {
///         /// The key's bits.
///         key: one "stage R",
///         uses: maybe "only of a table that evicts",
///     }
/// }
/// hardpath_rtl::signals! {
///     /// Into the table.
///     pub struct TableIn {
///         keys: numbered Key,
///         read_index: several "",
///     }
/// }
/// ```
///
/// A field is called what the port is called. What stands behind it is the comment beside the port, and documents the field as
/// well; where it is empty, or readers of the code want more, they have it above the field.
///
/// `one`: a port. `maybe`: an `Option` of one. `several`: a `Vec` of ports called `NAME_0`, `NAME_1`, …. With another such struct
/// instead of a comment: `all` its ports, `some` an `Option` of it, `numbered` a `Vec` of it, whose ports have their number behind
/// their names, the first ones none; `labelled` a `Vec` of labels with it, whose ports are called `FIELD_LABEL_NAME`.
#[macro_export]
macro_rules! signals {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident {
            $( $(#[$doc:meta])* $field:ident : $kind:ident $what:tt ),* $(,)?
        }
    ) => {
        $crate::signals! {
            @struct [$(#[$attribute])* $visible struct $name] {}
            $( $(#[$doc])* $field: $kind $what, )*
        }

        impl<T: Clone> Clone for $name<T> {
            fn clone(&self) -> $name<T> {
                $name {
                    $( $field: self.$field.clone(), )*
                }
            }
        }

        impl<T> $crate::signals::Signals for $name<T> {
            type Item = T;
            type With<U> = $name<U>;

            #[allow(unused_variables)]
            fn map<U>(self, each: &mut dyn FnMut(&str, &'static str, T) -> U) -> $name<U> {
                $name {
                    $( $field: $crate::signals!(@map $kind $what, stringify!($field), self.$field, each), )*
                }
            }
        }
    };
    // Field by field, because a comment that is empty must not become documentation.
    (@struct [$($head:tt)*] { $($done:tt)* }) => {
        $($head)*<T = $crate::Node> {
            $($done)*
        }
    };
    (@struct $head:tt { $($done:tt)* } $(#[$doc:meta])* $field:ident : $kind:ident "", $($rest:tt)*) => {
        $crate::signals! {
            @struct $head {
                $($done)*
                $(#[$doc])*
                pub $field: $crate::signals!(@type $kind ""),
            }
            $($rest)*
        }
    };
    (@struct $head:tt { $($done:tt)* } $(#[$doc:meta])* $field:ident : $kind:ident $what:tt, $($rest:tt)*) => {
        $crate::signals! {
            @struct $head {
                $($done)*
                $(#[$doc])*
                #[doc = ""]
                #[doc = $crate::signals!(@doc $kind $what)]
                pub $field: $crate::signals!(@type $kind $what),
            }
            $($rest)*
        }
    };
    (@doc one $doc:tt) => { $doc };
    (@doc maybe $doc:tt) => { $doc };
    (@doc several $doc:tt) => { $doc };
    (@doc all $ports:ident) => { concat!("Ports of [`", stringify!($ports), "`].") };
    (@doc some $ports:ident) => { concat!("Ports of [`", stringify!($ports), "`], where they are there.") };
    (@doc numbered $ports:ident) => { concat!("Ports of [`", stringify!($ports), "`], by number.") };
    (@doc labelled $ports:ident) => { concat!("Ports of [`", stringify!($ports), "`], by label.") };
    (@type one $doc:tt) => { T };
    (@type maybe $doc:tt) => { Option<T> };
    (@type several $doc:tt) => { Vec<T> };
    (@type all $ports:ident) => { $ports<T> };
    (@type some $ports:ident) => { Option<$ports<T>> };
    (@type numbered $ports:ident) => { Vec<$ports<T>> };
    (@type labelled $ports:ident) => { Vec<(String, $ports<T>)> };
    (@map one $doc:tt, $name:expr, $held:expr, $each:ident) => { $each($name, $doc, $held) };
    (@map maybe $doc:tt, $name:expr, $held:expr, $each:ident) => {
        $held.map(|held| $each($name, $doc, held))
    };
    (@map several $doc:tt, $name:expr, $held:expr, $each:ident) => {
        $held
            .into_iter()
            .enumerate()
            .map(|(number, held)| $each(&format!("{}_{number}", $name), $doc, held))
            .collect()
    };
    (@map all $ports:ident, $name:expr, $held:expr, $each:ident) => {
        $crate::signals::Signals::map($held, $each)
    };
    (@map some $ports:ident, $name:expr, $held:expr, $each:ident) => {
        $held.map(|held| $crate::signals::Signals::map(held, $each))
    };
    (@map numbered $ports:ident, $name:expr, $held:expr, $each:ident) => {
        $held
            .into_iter()
            .enumerate()
            .map(|(number, held)| {
                $crate::signals::Signals::map(held, &mut |name: &str, doc, held| {
                    $each(&$crate::signals::numbered(name, number), doc, held)
                })
            })
            .collect()
    };
    (@map labelled $ports:ident, $name:expr, $held:expr, $each:ident) => {
        $held
            .into_iter()
            .map(|(label, held)| {
                let prefix = format!("{}_{label}", $name);
                let held = $crate::signals::Signals::map(held, &mut |name: &str, doc, held| {
                    $each(&format!("{prefix}_{name}"), doc, held)
                });
                (label, held)
            })
            .collect()
    };
}

/// The name of a port of which there are several: the first one has no number.
pub fn numbered(name: &str, number: usize) -> String {
    match number {
        0 => name.to_string(),
        _ => format!("{name}_{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    signals! {
        struct Key {
            key: one "stage R",
            uses: maybe "",
        }
    }

    signals! {
        struct TableIn {
            go: one "",
            keys: numbered Key,
            words: several "",
            last: some Key,
            run: labelled Key,
        }
    }

    signals! {
        struct TableOut { all: one "everything" }
    }

    fn table() -> Block<TableIn, TableOut> {
        let mut m = Module::new("keys", "");
        let key = |uses: bool| Key {
            key: 8,
            uses: uses.then_some(1),
        };
        let inputs = m.inputs(TableIn {
            go: 1,
            keys: vec![key(true), key(false)],
            words: vec![4, 2],
            last: None,
            run: vec![("m4".into(), key(false))],
        });
        let keys: Vec<Node> = inputs.keys.iter().map(|key| key.key).collect();
        let words = &inputs.words;
        let run = inputs.run[0].1.key;
        let all = m.concat(&[keys[0], keys[1], words[0], words[1], inputs.go, run]);
        m.into_block(inputs, TableOut { all })
    }

    #[test]
    fn ports_are_called_what_their_fields_are() {
        let module = table().module;
        let names: Vec<&str> = module.ports.iter().map(|port| port.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "go",
                "key",
                "uses",
                "key_1",
                "words_0",
                "words_1",
                "run_m4_key",
                "all"
            ]
        );
        assert_eq!(module.ports[1].doc, "stage R");
        assert_eq!(module.ports[7].doc, "everything");
    }

    #[test]
    fn what_is_placed_is_connected() {
        let (mut design, mut top) = (Design::new(), Module::new("top", ""));
        let block = table();
        let wires = block.input_wires(&mut top, "table");
        let placed = block.place(&mut design, &mut top, "the_table", wires.clone());
        for (wire, width) in [
            (wires.go, 1),
            (wires.keys[0].key, 8),
            (wires.keys[0].uses.unwrap(), 1),
            (wires.keys[1].key, 8),
            (wires.words[0], 4),
            (wires.words[1], 2),
            (wires.run[0].1.key, 8),
        ] {
            let zero = top.zero(width);
            top.drive(wire, zero);
        }
        top.output("all", placed.out.all, "");
        assert_eq!(top.width(placed.out.all), 8 + 8 + 4 + 2 + 1 + 8);
        let again = table().place_another(&mut design, &mut top, "another", wires);
        assert_ne!(again.instance, placed.instance);
        assert_eq!(design.modules.len(), 1);
        design.add(top);
        assert_eq!(crate::check::check(&design), Ok(()));
    }
}
