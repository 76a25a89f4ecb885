//! Colours: plain sRGB with straight alpha. Must never depend on where they are drawn. Tested below.

/// Red, green, blue, alpha, each 0..=255, sRGB, alpha not premultiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Color(pub [u8; 4]);

impl Color {
    pub const CLEAR: Self = Self([0, 0, 0, 0]);
    pub const BLACK: Self = Self::hex(0x000000);
    pub const WHITE: Self = Self::hex(0xffffff);

    /// An opaque colour from `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self([red, green, blue, 255])
    }

    /// The same colour, its opacity multiplied by `factor` (0..=1).
    pub fn alpha(self, factor: f32) -> Self {
        let [red, green, blue, alpha] = self.0;
        Self([red, green, blue, byte(f32::from(alpha) * unit(factor))])
    }

    /// `self` at `t` = 0, `other` at `t` = 1, componentwise in between.
    pub fn mix(self, other: Self, t: f32) -> Self {
        let t = unit(t);
        let mut mixed = [0; 4];
        for (to, (from, onto)) in mixed.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            *to = byte(f32::from(from) + (f32::from(onto) - f32::from(from)) * t);
        }
        Self(mixed)
    }

    /// Relative luminance by WCAG 2, 0 (black) ..= 1 (white); alpha is ignored.
    pub fn luminance(self) -> f32 {
        let [red, green, blue, _] = self.0;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Contrast ratio by WCAG 2, 1 ..= 21.
    pub fn contrast(self, other: Self) -> f32 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }
}

fn linear(channel: u8) -> f32 {
    let value = f32::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn unit(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

fn byte(value: f32) -> u8 {
    // The cast saturates and cuts the fraction off, so adding 0.5 rounds; `round` would be a call for each of many
    // colours.
    (value + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_has_the_greatest_contrast() {
        assert!((Color::BLACK.contrast(Color::WHITE) - 21.0).abs() < 1e-3);
        assert!((Color::WHITE.contrast(Color::WHITE) - 1.0).abs() < 1e-6);
        let gray = Color::hex(0x767676).contrast(Color::WHITE);
        assert!((gray - 4.54).abs() < 0.01, "{gray}");
    }

    #[test]
    fn hex_alpha_and_mix() {
        assert_eq!(Color::hex(0x123456).0, [0x12, 0x34, 0x56, 255]);
        assert_eq!(Color::hex(0x123456).alpha(0.5).alpha(0.5).0[3], 64);
        assert_eq!(Color::BLACK.mix(Color::WHITE, 0.5).0, [128, 128, 128, 255]);
        assert_eq!(Color::BLACK.mix(Color::WHITE, f32::NAN), Color::BLACK);
        assert_eq!(Color::BLACK.mix(Color::WHITE, 7.0), Color::WHITE);
    }
}
