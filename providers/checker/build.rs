//! Links the program at a fixed address where the linker is known to do so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Without a fixed address every start relocates thousands of words before `main`.
    let is_usual = is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && is("CARGO_CFG_TARGET_ARCH", "x86_64");
    // A static program has a start of its own for each of the two, which the compiler chooses by its relocation model.
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if is_usual && !features.split(',').any(|feature| feature == "crt-static") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
