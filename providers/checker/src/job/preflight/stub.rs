//! Bodies that stand for those which are not written.

use std::fmt::Write;

use soil::syntax::tree::TypeKind;

use super::Subject;

/// Makes a body that calls itself, which fits every signature and is never run; none for a spec without a signature.
///
/// It calls itself by its bare name where it is the only function that has it.
pub(super) fn stub(subject: &Subject<'_>, is_alone: bool) -> Option<String> {
    let signature = subject.function.signature?;
    let (tree, name) = (&subject.spec.tree, subject.named.name);
    let mut ty = signature.ty;
    let mut params = String::new();
    let mut count = 0;
    while let TypeKind::Arrow { codomain, .. } = tree[ty].kind {
        count += 1;
        write!(params, " stub_parameter_{count}").expect("a text takes all that is written to it");
        ty = codomain;
    }
    let written = soil::print::ty(tree, &subject.project.names, signature.ty);
    let called = if is_alone {
        name.to_owned()
    } else {
        subject.named.program_name()
    };
    Some(format!(
        "{name} : {written}\n{name}{params} = {called}{params}\n"
    ))
}
