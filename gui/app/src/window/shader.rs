//! The one shader, in GLSL 1.00: how much of a px each kind of quad covers.
//!
//! Kinds and what their parameters mean are explained in `ink`; their numbers are taken from there. Everything is in physical
//! px, so that a soft edge is one px wide without derivatives. Seen in the `ink` example.

use zappy_observer::ink::Figure;

/// Corners: places in physical px; the kind travels as z.
pub(super) const VERTEX: &str = "#version 100
attribute vec3 position;
attribute vec2 texcoord;
attribute vec4 color0;
attribute vec4 normal;
uniform mat4 Model;
uniform mat4 Projection;
varying highp vec2 place;
varying lowp vec4 color;
varying highp vec4 params;
varying mediump float kind;
void main() {
    gl_Position = Projection * Model * vec4(position.xy, 0.0, 1.0);
    place = texcoord;
    color = color0 / 255.0;
    params = normal;
    kind = position.z;
}
";

const SHAPES: &str = "
varying highp vec2 place;
varying lowp vec4 color;
varying highp vec4 params;
varying mediump float kind;
uniform sampler2D Texture;
uniform highp vec2 AtlasSize;

float box(vec2 p, vec2 half_size, float r) {
    vec2 q = abs(p) - half_size + r;
    return min(max(q.x, q.y), 0.0) + length(max(q, 0.0)) - r;
}

float edge(float d) {
    return clamp(0.5 - d, 0.0, 1.0);
}

float line(float d, float width) {
    return width > 0.0 ? edge(abs(d + 0.5 * width) - 0.5 * width) : edge(d);
}

float overlap(float p, float half_size) {
    return clamp(min(p + 0.5, half_size) - max(p - 0.5, -half_size), 0.0, 1.0);
}

float arc(vec2 p, float r, float half_width, vec2 opening) {
    p.x = abs(p.x);
    float d = opening.y * p.x > opening.x * p.y ? length(p - opening * r) : abs(length(p) - r);
    return d - half_width;
}

// Distance from an edge, outwards along x; round beyond its ends.
float side(vec2 p, float half_length, float rounding) {
    float past = p.y - clamp(p.y, -half_length, half_length);
    return (p.x < 0.0 ? p.x : length(vec2(p.x, past))) - rounding;
}

float coverage(float which) {
    if (which == RECT) return overlap(place.x, params.x) * overlap(place.y, params.y);
    if (which == ROUND) return line(box(place, params.xy, params.z), params.w);
    if (which == SHADOW) {
        float t = clamp(0.5 - 0.5 * box(place, params.xy, params.z) / params.w, 0.0, 1.0);
        return t * t * (3.0 - 2.0 * t);
    }
    if (which == ARC) return edge(arc(place, params.x, params.y, params.zw));
    if (which == EDGE) return line(side(place, params.x, params.y), params.z);
    if (which == GLOW) {
        float t = clamp(1.0 - length(place) / params.x, 0.0, 1.0);
        return t * t;
    }
    // Light letters on dark look thinner than dark ones on light: give them a little weight.
    float ink = texture2D(Texture, place / AtlasSize).a;
    return ink * (1.0 + 0.4 * params.x * (1.0 - ink));
}

void main() {
    gl_FragColor = vec4(color.rgb, color.a * coverage(floor(kind + 0.5)));
}
";

pub(super) fn fragment() -> String {
    let kinds = [
        ("RECT", Figure::Rect),
        ("ROUND", Figure::Round),
        ("SHADOW", Figure::Shadow),
        ("ARC", Figure::Arc),
        ("EDGE", Figure::Edge),
        ("GLOW", Figure::Glow),
    ];
    let mut source = String::from("#version 100\n");
    source.push_str("#ifdef GL_FRAGMENT_PRECISION_HIGH\nprecision highp float;\n#else\nprecision mediump float;\n#endif\n");
    for (name, kind) in kinds {
        source.push_str(&format!("#define {name} {:.1}\n", kind.number()));
    }
    source.push_str(SHAPES);
    source
}
