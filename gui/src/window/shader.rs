//! The one shader, in GLSL 1.00: how much of a px each kind of quad covers.
//!
//! Kinds and what their parameters mean are told in `ink`; their numbers are taken from there. Everything is in physical
//! px, so that a soft edge is one px wide without derivatives. Seen in the `ink` example.

use crate::ink::Kind;

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
#define PI 3.14159265
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

float polygon(vec2 p, float r, float sides, float rounding) {
    float sector = PI / sides;
    float c = cos(sector);
    float s = sin(sector);
    r = r - rounding / c;
    float a = mod(atan(p.x, p.y), 2.0 * sector) - sector;
    vec2 q = length(p) * vec2(cos(a), abs(sin(a))) - r * vec2(c, s);
    q.y += clamp(-q.y, 0.0, r * s);
    return length(q) * sign(q.x) - rounding;
}

float star(vec2 p, float r, float points, float inner) {
    float sector = PI / points;
    float a = abs(mod(atan(p.x, p.y) + sector, 2.0 * sector) - sector);
    vec2 q = length(p) * vec2(cos(a), sin(a)) - vec2(r, 0.0);
    vec2 side = r * inner * vec2(cos(sector), sin(sector)) - vec2(r, 0.0);
    vec2 away = q - side * clamp(dot(q, side) / dot(side, side), 0.0, 1.0);
    return length(away) * sign(q.y * side.x - q.x * side.y) * -1.0;
}

float triangle(vec2 p, vec2 b, vec2 c) {
    vec2 e = c - b;
    vec2 q = p - b;
    vec2 r = p - c;
    vec2 pa = p - b * clamp(dot(p, b) / max(dot(b, b), 1e-6), 0.0, 1.0);
    vec2 pb = q - e * clamp(dot(q, e) / max(dot(e, e), 1e-6), 0.0, 1.0);
    vec2 pc = r + c * clamp(-dot(r, c) / max(dot(c, c), 1e-6), 0.0, 1.0);
    float turn = sign(b.x * c.y - b.y * c.x);
    float sa = turn * (b.x * p.y - b.y * p.x);
    float sb = turn * (e.x * q.y - e.y * q.x);
    float sc = turn * (-c.x * r.y + c.y * r.x);
    float d = sqrt(min(dot(pa, pa), min(dot(pb, pb), dot(pc, pc))));
    return min(sa, min(sb, sc)) >= 0.0 ? -d : d;
}

float coverage(float which) {
    if (which == RECT) return overlap(place.x, params.x) * overlap(place.y, params.y);
    if (which == ROUND) return line(box(place, params.xy, params.z), params.w);
    if (which == SHADOW) {
        float t = clamp(0.5 - 0.5 * box(place, params.xy, params.z) / params.w, 0.0, 1.0);
        return t * t * (3.0 - 2.0 * t);
    }
    if (which == ARC) return edge(arc(place, params.x, params.y, params.zw));
    if (which == POLYGON) return line(polygon(place, params.x, params.y, params.z), params.w);
    if (which == STAR) return edge(star(place, params.x, params.y, params.z));
    if (which == TRIANGLE) return edge(triangle(place, params.xy, params.zw));
    if (which == GLOW) {
        float t = clamp(1.0 - length(place) / params.x, 0.0, 1.0);
        return t * t;
    }
    // Light letters on dark look thinner than dark ones on light: give them a little weight.
    float ink = texture2D(Texture, place / AtlasSize).a;
    return pow(ink, mix(1.0, 0.8, params.x));
}

void main() {
    gl_FragColor = vec4(color.rgb, color.a * coverage(floor(kind + 0.5)));
}
";

/// The fragment shader.
pub(super) fn fragment() -> String {
    let kinds = [
        ("RECT", Kind::Rect),
        ("ROUND", Kind::Round),
        ("SHADOW", Kind::Shadow),
        ("ARC", Kind::Arc),
        ("POLYGON", Kind::Polygon),
        ("STAR", Kind::Star),
        ("TRIANGLE", Kind::Triangle),
        ("GLOW", Kind::Glow),
    ];
    let mut source = String::from("#version 100\n");
    source.push_str("#ifdef GL_FRAGMENT_PRECISION_HIGH\nprecision highp float;\n#else\nprecision mediump float;\n#endif\n");
    for (name, kind) in kinds {
        source.push_str(&format!("#define {name} {:.1}\n", kind.number()));
    }
    source.push_str(SHAPES);
    source
}
