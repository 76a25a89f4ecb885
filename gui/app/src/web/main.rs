//! `zappy_web`: the observer in a page. `make web` builds it for `wasm32-unknown-unknown`; a build for any other target
//! only prints how to build it.

fn main() {
    if cfg!(target_arch = "wasm32") {
        zappy_gui::window::browser::run(zappy_gui::games::GAMES);
    } else {
        println!("zappy_web: this program runs in a browser; build it with make web");
    }
}
