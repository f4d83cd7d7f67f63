//! Renders results into a page.
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let results = jvmti_reports::json::read(args[1].as_ref()).unwrap();
    std::fs::write(&args[2], jvmti_reports::html::render(&results)).unwrap();
}
