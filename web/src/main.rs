//! The page's entry point.

fn main() {
    barrierscope_web::run();
}
