//! Cases as questions to another implementation of the same function.

use super::suite::{Prepared, Suite};
use crate::eval::{Machine, border};
use crate::json::{Json, Malformed};
use crate::program::Program;
use crate::values::{FormId, Meter, Value, read, write};

/// A case that another implementation can be asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The name of the case.
    pub case: String,
    /// The arguments: canonical text of a JSON array.
    pub arguments: String,
    /// The canonical text of the value that the case expects.
    pub expected: String,
    result: FormId,
}

impl Suite {
    /// Gives the cases that expect a value and need not fail, in order; one with fakes is none that another program could
    /// be asked.
    pub fn questions(&self, machine: &mut Machine<'_, '_>, program: &Program) -> Vec<Question> {
        let cases = self.cases().iter().filter(|case| !case.is_xfail);
        let questions = cases.filter_map(|case| question(case, machine, program));
        questions.collect()
    }
}

fn question(case: &Prepared, machine: &mut Machine<'_, '_>, program: &Program) -> Option<Question> {
    let expected = case.expected.clone()?;
    let border = border(machine, program, case.definition);
    let mut texts = Vec::with_capacity(border.params.len());
    for (form, value) in border.params.iter().zip(case.plain_values()) {
        texts.push(canonical(machine, *form, value?));
    }
    Some(Question {
        case: case.name.clone(),
        arguments: format!("[{}]", texts.join(",")),
        expected,
        result: border.result,
    })
}

impl Question {
    /// Reads an answer by the type of the result, and gives its canonical text.
    ///
    /// # Errors
    /// When it is no JSON, or no value of the type.
    pub fn answer(&self, machine: &mut Machine<'_, '_>, bytes: &[u8]) -> Result<String, Malformed> {
        let json = Json::read(bytes).map_err(|error| Malformed {
            place: "$".to_owned(),
            message: error.to_string(),
        })?;
        let value = read(machine.forms(), self.result, &json)?;
        Ok(canonical(machine, self.result, &value))
    }
}

fn canonical(machine: &mut Machine<'_, '_>, form: FormId, value: &Value) -> String {
    let text = write(machine.forms(), form, value, &mut Meter::UNBOUNDED.clone());
    text.expect("a meter that cannot be used up never is")
}
