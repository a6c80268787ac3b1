//! Header types, instances, field lists, calculations, counters, meters and registers (§2, §3, §7).

use super::super::tree::{
    Calculated, CalculatedField, Calculation, Field, FieldList, HeaderType, Instance, Stateful,
};
use super::{Parsed, Reader};
use crate::ast::Name;
use crate::cursor::Cursor;

impl Reader<'_> {
    pub(super) fn header_type(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let mut read = HeaderType {
            name,
            fields: Vec::new(),
            length: None,
            most: None,
        };
        self.braces(|reader| {
            if reader.take_word("fields") {
                reader.braces(|reader| {
                    let field = reader.field_declaration()?;
                    read.fields.push(field);
                    Ok(())
                })
            } else if reader.take_key("length", ":") {
                read.length = Some(reader.expression_alone()?);
                Ok(())
            } else if reader.take_key("max_length", ":") {
                read.most = Some(reader.expression_alone()?);
                Ok(())
            } else {
                reader.lost("`fields`, `length` or `max_length`")
            }
        })?;
        self.program.types.push(read);
        Ok(())
    }

    fn field_declaration(&mut self) -> Parsed<Field> {
        if self.is_sign_ahead(1, "<") {
            return self.typed_field();
        }
        let name = self.name()?;
        self.expect(":")?;
        let width = match self.take("*") {
            true => None,
            false => Some(self.expression()?),
        };
        let (mut signed, mut saturating) = (false, false);
        if self.take("(") {
            (signed, saturating) = self.modes(")")?;
        }
        self.expect(";")?;
        Ok(Field {
            name,
            width,
            signed,
            saturating,
        })
    }

    /// `bit<8> field;`, as later versions write it.
    fn typed_field(&mut self) -> Parsed<Field> {
        let signed = self.take_word("int");
        if !signed && !self.take_word("bit") {
            return self.lost("`bit` or `int`");
        }
        self.expect("<")?;
        // Whatever stands behind the width would be compared with it.
        let width = self.nested(Self::atom)?;
        self.expect(">")?;
        let name = self.name()?;
        self.expect(";")?;
        Ok(Field {
            name,
            width: Some(width),
            signed,
            saturating: false,
        })
    }

    /// `signed, saturating`.
    fn modes(&mut self, end: &str) -> Parsed<(bool, bool)> {
        let (mut signed, mut saturating) = (false, false);
        self.list(end, |reader| {
            if reader.take_word("signed") {
                signed = true;
            } else if reader.take_word("saturating") {
                saturating = true;
            } else {
                return reader.lost("`signed` or `saturating`");
            }
            Ok(())
        })?;
        Ok((signed, saturating))
    }

    pub(super) fn instance(&mut self, is_metadata: bool) -> Parsed<()> {
        let of = self.name()?;
        let name = self.name()?;
        let (mut count, mut begins) = (None, Vec::new());
        if !is_metadata && self.take("[") {
            count = Some(self.expression()?);
            self.expect("]")?;
        }
        if is_metadata && self.is_sign("{") {
            self.braces(|reader| {
                let field = reader.name()?;
                reader.expect(":")?;
                begins.push((field, reader.expression_alone()?));
                Ok(())
            })?;
        } else {
            self.expect(";")?;
        }
        self.program.instances.push(Instance {
            is_metadata,
            of,
            name,
            count,
            begins,
        });
        Ok(())
    }

    pub(super) fn field_list(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let mut entries = Vec::new();
        self.braces(|reader| {
            entries.push(reader.expression_alone()?);
            Ok(())
        })?;
        self.program.lists.push(FieldList { name, entries });
        Ok(())
    }

    pub(super) fn calculation(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let mut read = Calculation {
            name,
            inputs: Vec::new(),
            algorithm: None,
            width: None,
        };
        self.braces(|reader| {
            if reader.take_word("input") {
                reader.braces(|reader| {
                    read.inputs.push(reader.name_alone()?);
                    Ok(())
                })
            } else if reader.take_key("algorithm", ":") {
                read.algorithm = Some(reader.name_alone()?);
                Ok(())
            } else if reader.take_key("output_width", ":") {
                read.width = Some(reader.expression_alone()?);
                Ok(())
            } else {
                reader.lost("`input`, `algorithm` or `output_width`")
            }
        })?;
        self.program.calculations.push(read);
        Ok(())
    }

    pub(super) fn calculated_field(&mut self) -> Parsed<()> {
        let field = self.field()?;
        let mut uses = Vec::new();
        self.braces(|reader| {
            let is_update = reader.take_word("update");
            if !is_update && !reader.take_word("verify") {
                return reader.lost("`update` or `verify`");
            }
            let calculation = reader.name()?;
            let mut condition = None;
            if reader.take_word("if") {
                reader.expect("(")?;
                condition = Some(reader.expression()?);
                reader.expect(")")?;
            }
            reader.expect(";")?;
            uses.push(Calculated {
                is_update,
                calculation,
                condition,
            });
            Ok(())
        })?;
        self.program
            .calculated
            .push(CalculatedField { field, uses });
        Ok(())
    }

    pub(super) fn counter(&mut self) -> Parsed<()> {
        let read = self.stateful()?;
        self.program.counters.push(read);
        Ok(())
    }

    pub(super) fn meter(&mut self) -> Parsed<()> {
        let read = self.stateful()?;
        self.program.meters.push(read);
        Ok(())
    }

    pub(super) fn register(&mut self) -> Parsed<()> {
        let read = self.stateful()?;
        self.program.registers.push(read);
        Ok(())
    }

    /// The three have their properties in any order.
    fn stateful(&mut self) -> Parsed<Stateful> {
        let name = self.name()?;
        let mut read = Stateful {
            name,
            of: None,
            direct: None,
            of_table: None,
            count: None,
            least_width: None,
            width: None,
            layout: None,
            result: None,
            signed: false,
            saturating: false,
        };
        self.braces(|reader| {
            if reader.take_key("saturating", ";") {
                read.saturating = true;
                return Ok(());
            }
            let property = reader.name()?;
            reader.expect(":")?;
            reader.property_of_stateful(&property, &mut read)
        })?;
        Ok(read)
    }

    fn property_of_stateful(&mut self, property: &Name, read: &mut Stateful) -> Parsed<()> {
        match property.text.as_str() {
            "type" => read.of = Some(self.name_alone()?),
            "direct" => read.direct = Some(self.name_alone()?),
            "static" => read.of_table = Some(self.name_alone()?),
            "layout" => read.layout = Some(self.name_alone()?),
            "instance_count" => read.count = Some(self.expression_alone()?),
            "min_width" => read.least_width = Some(self.expression_alone()?),
            "width" => read.width = Some(self.expression_alone()?),
            "result" => {
                read.result = Some(self.field()?);
                self.expect(";")?;
            }
            "attributes" => {
                let (signed, saturating) = self.modes(";")?;
                read.signed |= signed;
                read.saturating |= saturating;
            }
            other => {
                let message = format!("counters, meters and registers have no property `{other}`");
                return self.wrong(property.span, message);
            }
        }
        Ok(())
    }
}
