//! Tests in a process of their own, which is this program once more.

/// The arguments with which this program runs some tests of a module, `module_path!()`, and
/// no others.
pub fn only(module: &str, tests: &[&str]) -> Vec<String> {
    let (_, module) = module.split_once("::").expect("a module of this crate");
    let names = tests.iter().map(|test| format!("{module}::{test}"));
    std::iter::once("--exact".to_owned()).chain(names).collect()
}
