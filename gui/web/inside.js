// Behind miniquad's gl.js, in the scope of the same function: hands out what the viewer needs of it.
return {
    env: importObject.env,
    files: FS.loaded_files,
    new_file: function () {
        FS.unique_id += 1;
        return FS.unique_id - 1;
    },
    text: UTF8ToString,
    // Puts the bytes of an answer where the program wants them.
    copy: function (bytes, place) {
        new Uint8Array(wasm_memory.buffer, place, bytes.length).set(bytes);
    },
    // Runs the program that these exports are of.
    run: function (memory, exports) {
        wasm_memory = memory;
        wasm_exports = exports;
        high_dpi = true;
        if (exports.crate_version() !== version) {
            throw new Error("gl.js is of version " + version + ", the program wants " + exports.crate_version());
        }
        exports.main();
    },
    resize: function () {
        resize(canvas, wasm_exports.resize);
    },
    wake: function () {
        importObject.env.sapp_schedule_update();
    },
};
