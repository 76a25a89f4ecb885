// The page around the observer. The program asks for files whose names begin with "page:"; what it asks for so is
// answered here and never fetched. "page:next" waits for mail; every other name is a wish. The program's side is
// gui/app/src/window/browser.rs. Expects `miniquad(canvas)` and `PROGRAM`, the program as base64 of gzip, in its scope. It is of
// ASCII alone, since not every page says how its scripts are written.

// Bytes that a record may have when it is unpacked.
const RECORD_BYTES = 1 << 30;
// Bytes of a live match that may wait while the page isn't looked at; beyond them it begins anew with a snapshot.
const QUEUE_BYTES = 16 << 20;
// Bytes of lines that are handed over at once, and different moments at which they came.
const PIECE_BYTES = 1 << 20;
const PIECE_MOMENTS = 1000;

const encoder = new TextEncoder();
const records = new Map();
let started = false;

function bytes_of(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) {
        bytes[at] = text.charCodeAt(at);
    }
    return bytes;
}

function is_gzip(bytes) {
    return bytes.length > 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;
}

// Unpacks as it is read, and stops where it gets too much.
async function unpacked(bytes) {
    if (!is_gzip(bytes)) {
        return bytes;
    }
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    const parts = [];
    let length = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            break;
        }
        length += value.length;
        if (length > RECORD_BYTES) {
            reader.cancel();
            throw new Error("it has more than 1 GiB when it is unpacked");
        }
        parts.push(value);
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

// A sentence over the canvas; none hides it. One that covers leaves nothing of the canvas to be seen.
function board(canvas) {
    let place = null;
    let cover = null;
    return function (text, covers) {
        for (const old of [place, cover]) {
            if (old) {
                old.remove();
            }
        }
        place = cover = null;
        if (text && covers) {
            const { left, top, right, bottom } = canvas.getBoundingClientRect();
            cover = document.createElement("div");
            Object.assign(cover.style, {
                position: "fixed", left: left + "px", top: top + "px", right: innerWidth - right + "px",
                bottom: innerHeight - bottom + "px", background: "#0b0f18", pointerEvents: "none",
            });
            (canvas.parentNode || document.body).appendChild(cover);
        }
        if (text) {
            place = document.createElement("div");
            place.setAttribute("role", "status");
            place.textContent = text;
            Object.assign(place.style, {
                position: "fixed", left: "50%", top: "45%", transform: "translate(-50%, -50%)", maxWidth: "80%",
                font: "16px/1.5 system-ui, sans-serif", color: "#d6dbe6", background: "#141a26", padding: "12px 20px",
                borderRadius: "8px", textAlign: "center",
            });
            (canvas.parentNode || document.body).appendChild(place);
        }
    };
}

// What the canvas shows, as text: where only screen readers find it.
function teller(canvas) {
    const place = document.createElement("div");
    place.setAttribute("role", "log");
    place.setAttribute("aria-live", "polite");
    Object.assign(place.style, {
        position: "fixed", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)", whiteSpace: "nowrap",
    });
    (canvas.parentNode || document.body).appendChild(place);
    canvas.setAttribute("role", "img");
    return function (text) {
        place.textContent = text;
        canvas.setAttribute("aria-label", text);
    };
}

// What waits for the program, in order. Lines of a live match are gathered, and when they came is told with them: for each
// moment how many milliseconds ago it was and how many bytes came then.
function mailbox(hand_over) {
    const waiting = [];
    let lines_bytes = 0;
    return {
        post: function (head, body) {
            waiting.push({ head: head.replace(/[\r\n]+/g, " "), parts: body ? [body] : [], size: 0 });
            hand_over();
        },
        // Whether there was room for them.
        post_lines: function (text) {
            const bytes = encoder.encode(text);
            const last = waiting[waiting.length - 1];
            if (lines_bytes + bytes.length > QUEUE_BYTES) {
                return false;
            }
            lines_bytes += bytes.length;
            let piece = last;
            if (!last || !last.moments || last.size >= PIECE_BYTES || last.moments.length >= PIECE_MOMENTS) {
                piece = { parts: [], size: 0, moments: [] };
                waiting.push(piece);
            }
            piece.parts.push(bytes);
            piece.size += bytes.length;
            const at = Math.floor(performance.now());
            const latest = piece.moments[piece.moments.length - 1];
            // A snapshot only ever begins the lines of a moment.
            if (latest && latest.at === at && !text.startsWith("WELCOME")) {
                latest.bytes += bytes.length;
            } else {
                piece.moments.push({ at, bytes: bytes.length });
            }
            hand_over();
            return true;
        },
        drop_lines: function () {
            for (let at = waiting.length - 1; at >= 0; at -= 1) {
                if (waiting[at].moments) {
                    waiting.splice(at, 1);
                }
            }
            lines_bytes = 0;
        },
        next: function () {
            const mail = waiting.shift();
            if (!mail) {
                return null;
            }
            lines_bytes -= mail.size;
            const now = Math.floor(performance.now());
            const ages = mail.moments && mail.moments.map(({ at, bytes }) => now - at + " " + bytes);
            const parts = [encoder.encode((ages ? "lines " + ages.join(" ") : mail.head) + "\n"), ...mail.parts];
            const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
            let at = 0;
            for (const part of parts) {
                bytes.set(part, at);
                at += part.length;
            }
            return bytes;
        },
    };
}

// The address of a live match, given as such or as a path of this site.
function socket_address(live) {
    const address = new URL(live, location.href);
    address.protocol = address.protocol.replace(/^http/, "ws");
    return address;
}

// Opens and closes the socket as the program wishes, and tells it what comes.
function watcher(mail, live) {
    const address = socket_address(live);
    let socket = null;
    const leave = function () {
        if (socket) {
            const gone = socket;
            socket = null;
            gone.close(1000);
        }
    };
    const connect = function () {
        leave();
        const mine = new WebSocket(address);
        socket = mine;
        mine.onopen = function () {
            if (socket === mine) {
                mail.post("opened");
            }
        };
        mine.onmessage = function (event) {
            if (socket === mine && typeof event.data === "string" && !mail.post_lines(event.data)) {
                socket = null;
                mine.close(4000, "too much waits");
                mail.drop_lines();
                mail.post("closed 1006 this page was not looked at for a while");
            }
        };
        mine.onclose = function (event) {
            if (socket === mine) {
                socket = null;
                mail.post("closed " + event.code + " " + event.reason);
            }
        };
    };
    mail.post("live " + address.host + address.pathname);
    return { connect, leave };
}

// Plays sounds by name, whose samples come with their first time. A page is silent until it is clicked or a key is pressed: no
// browser allows more.
function speaker() {
    const known = new Map();
    let context = null;
    let loud = null;
    const wake = function () {
        if (!context) {
            context = new AudioContext();
            loud = new GainNode(context, { gain: 0.35 });
            loud.connect(context.destination);
        }
        context.resume();
    };
    window.addEventListener("pointerup", wake, true);
    window.addEventListener("keydown", wake, true);
    return {
        sound: function (words) {
            const [name, pan, rate, samples] = words.split(" ");
            if (samples) {
                const buffer = new AudioBuffer({ length: samples.length, sampleRate: Number(rate) });
                const data = buffer.getChannelData(0);
                for (let at = 0; at < samples.length; at += 1) {
                    data[at] = (samples.charCodeAt(at) - 0x900) / 2047;
                }
                known.set(name, { buffer, again: 0 });
            }
            const sound = known.get(name);
            if (!context || context.state !== "running" || context.currentTime < sound.again) {
                return;
            }
            // Many of one moment are one.
            sound.again = context.currentTime + 1 / 12;
            const source = new AudioBufferSourceNode(context, { buffer: sound.buffer });
            source.connect(new StereoPannerNode(context, { pan: Number(pan) })).connect(loud);
            source.start();
        },
        // What begins while it is muted isn't told: this silences what has begun.
        mute: function (on) {
            if (loud) {
                loud.gain.value = on === "1" ? 0 : 0.35;
            }
        },
    };
}

function copy(text) {
    const by_hand = function () {
        const field = document.createElement("textarea");
        field.value = text;
        document.body.appendChild(field);
        field.select();
        document.execCommand("copy");
        field.remove();
    };
    if (navigator.clipboard && window.isSecureContext) {
        navigator.clipboard.writeText(text).catch(by_hand);
    } else {
        by_hand();
    }
}

function save(canvas, name) {
    canvas.toBlob(function (blob) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
}

// The program's keys and gestures, not the browser's.
function take_input(canvas, wheel) {
    canvas.tabIndex = 0;
    canvas.style.touchAction = "none";
    canvas.style.outline = "none";
    canvas.focus();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", function (event) {
        canvas.focus();
        if (event.pointerType === "mouse") {
            // So that a drag that leaves the window ends there, too.
            canvas.setPointerCapture(event.pointerId);
        }
    });
    canvas.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault());
    canvas.addEventListener("keydown", function (event) {
        const ours = ["KeyO", "Equal", "Minus", "NumpadAdd", "NumpadSubtract"];
        if ((event.ctrlKey || event.metaKey) && ours.includes(event.code)) {
            event.preventDefault();
        }
    }, true);
    window.addEventListener("focus", () => canvas.focus());
    // Lines and pages of a wheel as px, before gl.js sees them.
    canvas.addEventListener("wheel", function (event) {
        event.preventDefault();
        event.stopImmediatePropagation();
        const px = [1, 33, 600][event.deltaMode] || 1;
        wheel(-event.deltaX * px, -event.deltaY * px);
    }, { capture: true, passive: false });
}

// Says when a px of the page has another size: by the page's zoom, or on another screen.
function follow_density(changed) {
    const query = window.matchMedia("(resolution: " + window.devicePixelRatio + "dppx)");
    query.addEventListener("change", function () {
        changed();
        follow_density(changed);
    }, { once: true });
}

async function start(options) {
    if (started) {
        throw new Error("ZappyViewer.start was called already; a page has one viewer");
    }
    started = true;
    const canvas = options.canvas;
    const say = board(canvas);
    try {
        await show(canvas, options, say);
    } catch (error) {
        console.error(error);
        say("The viewer can't start: " + error.message);
    }
}

async function show(canvas, options, say) {
    if (typeof DecompressionStream !== "function" || typeof WebAssembly !== "object") {
        throw new Error("this browser is too old; take one of the last three years");
    }
    if (!document.createElement("canvas").getContext("webgl")) {
        throw new Error("this browser has no WebGL, or it is switched off");
    }
    say("Loading\u2026", true);
    canvas.id = "glcanvas";
    const inside = miniquad();
    const env = inside.env;
    let exports = null;
    let asked = null;
    let picture = null;
    let broken = false;
    let live = null;
    let chooser = null;
    let opened = false;

    const answer = function (file, bytes) {
        inside.files[file] = bytes;
        exports.file_loaded(file);
    };
    const hand_over = function () {
        if (asked === null || broken) {
            return;
        }
        const bytes = mail.next();
        if (bytes) {
            const file = asked;
            asked = null;
            answer(file, bytes);
        } else if (opened) {
            // It asks for more in the turn in which it draws what it was told.
            opened = false;
            say(null);
        }
    };
    const mail = mailbox(() => queueMicrotask(hand_over));

    const open = async function (name, load) {
        try {
            const bytes = await unpacked(new Uint8Array(await load()));
            mail.post("record " + name, bytes);
        } catch (error) {
            mail.post("trouble can't open " + name + ": " + error.message);
        }
    };
    const open_file = (file) => open(file.name, () => file.arrayBuffer());
    const choose = function () {
        if (!chooser) {
            chooser = document.createElement("input");
            chooser.type = "file";
            chooser.accept = ".zrec,.gz";
            chooser.style.display = "none";
            chooser.onchange = () => chooser.files.length > 0 && open_file(chooser.files[0]);
            document.body.appendChild(chooser);
        }
        chooser.value = "";
        chooser.click();
    };
    const wishes = {
        connect: () => live && live.connect(),
        leave: () => live && live.leave(),
        ...speaker(),
        choose,
        copy,
        tell: teller(canvas),
        picture: function (name) {
            picture = name;
        },
        title: function (name) {
            document.title = document.title || name + " \u2013 Zappy Arena";
        },
        trouble: function (what) {
            broken = true;
            say("The viewer can't go on: " + what);
        },
    };

    env.fs_load_file = function (place, length) {
        const name = inside.text(place, length);
        const file = inside.new_file();
        const [word, ...rest] = name.replace(/^page:/, "").split(" ");
        if (word === "next") {
            asked = file;
            queueMicrotask(hand_over);
            return file;
        }
        queueMicrotask(() => answer(file, new Uint8Array(0)));
        if (Object.hasOwn(wishes, word)) {
            wishes[word](rest.join(" "));
        }
        return file;
    };
    env.fs_take_buffer = function (file, place) {
        inside.copy(inside.files[file], place);
        delete inside.files[file];
    };
    const run_animation_loop = env.run_animation_loop;
    env.run_animation_loop = function (blocking) {
        run_animation_loop(blocking);
        window.ondrop = function (event) {
            event.preventDefault();
            if (event.dataTransfer.files.length > 0) {
                open_file(event.dataTransfer.files[0]);
            }
        };
    };

    const program = await unpacked(bytes_of(PROGRAM));
    const { instance } = await WebAssembly.instantiate(program, { env });
    // A program that fails says so, and isn't called again.
    const guarded = function (call) {
        return function (...values) {
            if (broken) {
                return undefined;
            }
            try {
                return call(...values);
            } catch (error) {
                broken = true;
                console.error(error);
                say("The viewer has failed: " + error.message + ". Load the page again.");
                return undefined;
            }
        };
    };
    exports = {};
    for (const [name, value] of Object.entries(instance.exports)) {
        exports[name] = typeof value === "function" ? guarded(value) : value;
    }
    const frame = exports.frame;
    exports.frame = function () {
        frame();
        if (picture !== null) {
            save(canvas, picture);
            picture = null;
        }
    };

    mail.post("page " + location.href.split("#")[0]);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    mail.post("calm " + calm.matches);
    calm.addEventListener("change", () => mail.post("calm " + calm.matches));
    mail.post("moment " + location.hash);
    window.addEventListener("hashchange", () => mail.post("moment " + location.hash));
    take_input(canvas, (x, y) => exports.mouse_wheel(x, y));
    inside.run(instance.exports.memory, exports);
    new ResizeObserver(() => inside.resize()).observe(canvas);
    follow_density(function () {
        mail.post("density " + window.devicePixelRatio);
        inside.resize();
    });
    document.addEventListener("visibilitychange", () => inside.wake());

    const query = new URLSearchParams(location.search);
    const url = options.recordUrl || query.get("record");
    const watched = options.live || query.get("live");
    if (options.record) {
        await open(options.name || document.title || "record", async () => options.record);
    } else if (options.name) {
        if (!records.has(options.name)) {
            throw new Error("no record is called " + options.name + " on this page");
        }
        await open(options.name, async () => bytes_of(records.get(options.name)));
        records.clear();
    } else if (watched) {
        live = watcher(mail, watched);
    } else if (url) {
        say("Loading the record\u2026", true);
        await open(url.split(/[?#]/)[0].split("/").pop() || url, async function () {
            const response = await fetch(url);
            if (!response.ok) {
                throw new Error("the site says " + response.status + " " + response.statusText);
            }
            return response.arrayBuffer();
        });
    }
    opened = true;
    queueMicrotask(hand_over);
}

return {
    start,
    record: function (name, base64) {
        records.set(name, base64);
    },
};
