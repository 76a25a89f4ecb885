//! `zappy_web`: the observer in a page. Built by `make web` for `wasm32-unknown-unknown`; elsewhere it says so.

fn main() {
    if cfg!(target_arch = "wasm32") {
        zappy_gui::window::browser::run(zappy_gui::games::GAMES);
    } else {
        println!("zappy_web: this program runs in a browser; build it with make web");
    }
}
