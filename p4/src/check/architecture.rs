//! The control that says what an architecture does with a packet, for the package that a program makes (`p4/architectures`).

use super::infer::Given;
use super::Checker;
use crate::ast::{Annotation, AnnotationBody};
use crate::lexer::TokenKind;
use crate::typed::Instance;
use crate::types::{ObjectKind, Type};

pub(super) use crate::described::ANNOTATION as PACKAGE;
/// In front of a function: the extern function that it says the meaning of.
const EXTERN: &str = "hardpath_extern";

impl Checker<'_> {
    /// Makes the architecture of `main`, where one is described, and says what its functions stand for.
    pub(super) fn architecture(&mut self) {
        let functions = self.told.functions.iter().enumerate();
        let stands = functions
            .filter_map(|(number, function)| Some((said(&function.annotations, EXTERN)?, number)));
        self.told.implementations = stands.collect();
        let mut top = self.told.top.iter();
        let main = top.find(|number| self.told.instances[**number].name == "main");
        let Some(main) = main.map(|number| self.told.instances[*number].clone()) else {
            return;
        };
        let Type::Object(package, _) = main.of else {
            return;
        };
        let package = self.told.objects[package].clone();
        let described = self.told.objects.iter().position(|object| {
            object.kind == ObjectKind::Control
                && said(&object.annotations, PACKAGE).as_deref() == Some(package.name.as_str())
        });
        let Some(described) = described else { return };
        let object = self.told.objects[described].clone();
        let mut given: Given = object.types.iter().map(|name| (*name, Type::Any)).collect();
        let mut arguments = Vec::new();
        for parameter in &object.made_with {
            let place = package
                .parameters
                .iter()
                .position(|one| one.name == parameter.name);
            let Some(place) = place else {
                let message = format!("package `{}` has no `{}`", package.name, parameter.name);
                self.error("p4-name", object.span, message);
                return;
            };
            let argument = main.arguments.get(place).cloned().flatten();
            if let Some(argument) = &argument {
                self.unify(&mut given, &parameter.of, &argument.of.clone());
            }
            arguments.push(argument);
        }
        // What nobody has given a type has no bits.
        let nothing = Type::Tuple(Vec::new());
        let types: Vec<Type> = object
            .types
            .iter()
            .map(|name| match &given[name] {
                Type::Any => nothing.clone(),
                of => of.clone(),
            })
            .collect();
        let block = self.block_for(described, &types);
        let place = self.told.instances.len();
        self.told.instances.push(Instance {
            name: package.name,
            is_anonymous: true,
            of: Type::Object(described, types),
            block,
            constructor: None,
            arguments,
            methods: Vec::new(),
            annotations: Vec::new(),
            span: main.span,
        });
        self.told.architecture = Some(place);
    }
}

/// The text in an annotation of this name.
pub fn said(annotations: &[Annotation], name: &str) -> Option<String> {
    let annotation = annotations.iter().find(|one| one.name.text == name)?;
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => match &tokens.first()?.kind {
            TokenKind::Text(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}
