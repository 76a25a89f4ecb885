//! Pictures of a page, held against the desktop's.

/// A picture of so many px, three bytes each.
pub struct Picture {
    pub size: (usize, usize),
    rgb: Vec<u8>,
}

/// The window of all pictures, in px.
pub const SIZE: (usize, usize) = (960, 540);
/// The part of them in which no panel of a page lies: left and top, width and height.
const WORLD: (usize, usize, usize, usize) = (300, 110, 360, 230);
/// A place of the map in them that no panel covers.
pub const MAP: (f64, f64) = (430.0, 200.0);
/// A pixel that differs by more than this in a channel is another one.
const PIXEL_LIMIT: u8 = 48;
/// The share of pixels that may be other ones, and the mean difference of a channel that other renderers may make.
const LIMITS: (f64, f64) = (0.02, 3.0);

/// Reads a PNG.
pub fn load(bytes: &[u8]) -> Picture {
    let mut reader = png::Decoder::new(bytes).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let channels = info.color_type.samples();
    let rgb = pixels[..info.buffer_size()].chunks_exact(channels).flat_map(|pixel| pixel[..3].to_vec());
    Picture { size: (info.width as usize, info.height as usize), rgb: rgb.collect() }
}

impl Picture {
    fn world(&self) -> impl Iterator<Item = &[u8]> {
        let (left, top, width, height) = WORLD;
        let row = move |y: usize| (y * self.size.0 + left) * 3;
        (top..top + height).flat_map(move |y| self.rgb[row(y)..row(y) + width * 3].chunks_exact(3))
    }

    /// How the world differs, if it does.
    pub fn differs(&self, other: &Picture) -> Option<String> {
        if (self.size, other.size) != (SIZE, SIZE) {
            return Some(format!("they are of {:?} and {:?} px", self.size, other.size));
        }
        let (mut others, mut sum, mut count) = (0.0, 0.0, 0.0);
        for (one, other) in self.world().zip(other.world()) {
            let gaps = [0, 1, 2].map(|channel| one[channel].abs_diff(other[channel]));
            others += f64::from(u8::from(gaps.iter().any(|&gap| gap > PIXEL_LIMIT)));
            sum += gaps.map(f64::from).iter().sum::<f64>() / 3.0;
            count += 1.0;
        }
        let (share, mean) = (others / count, sum / count);
        (share > LIMITS.0 || mean > LIMITS.1)
            .then(|| format!("{:.2} % other pixels, mean difference {mean:.2}", share * 100.0))
    }
}
