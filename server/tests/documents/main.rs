//! What stands beside the sources agrees with them: documents, the table of limits, the glossary, the guide, the list of bugs that
//! are planted, and the arguments of benches.

mod benches;
mod changes;
mod files;
mod guide;
mod limits;
mod links;
mod mutants;
mod names;
#[path = "../texts/mod.rs"]
mod texts;
