//! Draws a canvas: the atlas as a texture, batches as meshes with the one shader.

use macroquad::{
    camera::{Camera2D, set_camera, set_default_camera},
    material::{Material, MaterialParams, gl_use_default_material, gl_use_material, load_material},
    math::{Vec3, Vec4, vec2},
    miniquad::{
        BlendFactor, BlendState, BlendValue, Equation, PipelineParams, ShaderSource, UniformDesc, UniformType,
    },
    models::{Mesh, Vertex, draw_mesh},
    texture::{FilterMode, Image, RenderTarget, Texture2D},
};

use super::{WindowFailure, shader};
use zappy_observer::ink::{Atlas, Canvas};

/// The atlas' texture, as it was uploaded last.
struct Uploaded {
    texture: Texture2D,
    generation: u64,
}

/// Everything the graphics card needs.
pub(super) struct Brush {
    material: Material,
    atlas: Option<Uploaded>,
    mesh: Mesh,
}

impl Brush {
    pub(super) fn new() -> Result<Self, WindowFailure> {
        let over = |source| {
            BlendState::new(Equation::Add, source, BlendFactor::OneMinusValue(BlendValue::SourceAlpha))
        };
        let params = MaterialParams {
            pipeline_params: PipelineParams {
                color_blend: Some(over(BlendFactor::Value(BlendValue::SourceAlpha))),
                alpha_blend: Some(over(BlendFactor::One)),
                ..PipelineParams::default()
            },
            uniforms: vec![UniformDesc::new("AtlasSize", UniformType::Float2)],
            textures: Vec::new(),
        };
        let fragment = shader::fragment();
        let source = ShaderSource::Glsl { vertex: shader::VERTEX, fragment: &fragment };
        let material =
            load_material(source, params).map_err(|error| WindowFailure::Graphics(error.to_string()))?;
        let mesh = Mesh { vertices: Vec::new(), indices: Vec::new(), texture: None };
        Ok(Self { material, atlas: None, mesh })
    }

    /// Draws a canvas onto the window, or into a picture, which then has its first row at the top.
    pub(super) fn draw(&mut self, canvas: &mut Canvas, onto: Option<&RenderTarget>) {
        let (atlas, edge) = (&canvas.atlas, canvas.atlas.size());
        match &self.atlas {
            Some(uploaded) if uploaded.generation == atlas.generation => {
                if !atlas.dirty.is_empty() {
                    let rows = atlas.dirty.clone();
                    let image = texels(atlas, rows.start, rows.end);
                    let (top, height) = (rows.start as i32, i32::from(image.height));
                    uploaded.texture.update_part(&image, 0, top, edge as i32, height);
                }
            }
            _ => {
                let texture = Texture2D::from_image(&texels(atlas, 0, edge));
                texture.set_filter(FilterMode::Nearest);
                self.atlas = Some(Uploaded { texture, generation: atlas.generation });
            }
        }
        canvas.atlas.uploaded();
        let size = canvas.area();
        let (width, height) = (size.w * canvas.scale(), size.h * canvas.scale());
        if width < 1.0 || height < 1.0 {
            return;
        }
        set_camera(&camera(width, height, onto));
        self.material.set_uniform("AtlasSize", vec2(edge as f32, edge as f32));
        gl_use_material(&self.material);
        self.mesh.texture = self.atlas.as_ref().map(|atlas| atlas.texture.clone());
        for batch in canvas.batches() {
            let vertices = batch.vertices.iter().map(|vertex| Vertex {
                position: Vec3::new(vertex.position[0], vertex.position[1], vertex.kind),
                uv: vertex.uv.into(),
                color: vertex.color,
                normal: Vec4::from_array(vertex.params),
            });
            self.mesh.vertices.clear();
            self.mesh.vertices.extend(vertices);
            self.mesh.indices.clear();
            self.mesh.indices.extend_from_slice(batch.indices);
            draw_mesh(&self.mesh);
        }
        gl_use_default_material();
        set_default_camera();
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn clear(&mut self, target: &RenderTarget) {
        set_camera(&camera(1.0, 1.0, Some(target)));
        macroquad::window::clear_background(macroquad::color::BLACK);
        set_default_camera();
    }
}

/// Physical px as coordinates. macroquad's camera turns what it draws onto the window upside down, and what it draws
/// into a target not; a target is read from its lower edge, so that its rows come from the top.
fn camera(width: f32, height: f32, onto: Option<&RenderTarget>) -> Camera2D {
    Camera2D {
        target: vec2(width / 2.0, height / 2.0),
        zoom: vec2(2.0 / width, 2.0 / height),
        render_target: onto.cloned(),
        ..Camera2D::default()
    }
}

/// Rows of the atlas as white with the coverage as alpha.
fn texels(atlas: &Atlas, from: usize, to: usize) -> Image {
    let edge = atlas.size();
    let rows = &atlas.pixels[from * edge..to * edge];
    let bytes = rows.iter().flat_map(|&coverage| [255, 255, 255, coverage]).collect();
    Image { bytes, width: edge as u16, height: (to - from) as u16 }
}
