//! How much is shown at a scale. Levels of detail fade into one another, nothing pops. Tested below.

use zappy_observer::torus::smooth;

/// Points per tile below which resources are a field of colour.
pub const FAR: f32 = 18.0;
/// Points per tile from which on amounts are numbers.
pub const NEAR: f32 = 56.0;

/// How much of each level of detail is seen, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detail {
    /// The field of colour that stands for what lies on the ground.
    pub field: f32,
    pub tiles: f32,
    pub marks: f32,
    pub numbers: f32,
}

impl Detail {
    /// What is seen at so many points per tile.
    pub fn of(scale: f32) -> Detail {
        let marks = smooth(FAR * 0.78, FAR, scale);
        Detail {
            field: 1.0 - smooth(FAR * 0.9, FAR * 1.5, scale),
            tiles: smooth(FAR * 0.55, FAR, scale),
            marks,
            numbers: smooth(NEAR * 0.86, NEAR, scale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_is_a_field_the_middle_has_marks_and_near_has_numbers() {
        let far = Detail::of(8.0);
        assert_eq!((far.field, far.tiles, far.marks, far.numbers), (1.0, 0.0, 0.0, 0.0));
        let middle = Detail::of(32.0);
        assert_eq!((middle.field, middle.tiles, middle.marks, middle.numbers), (0.0, 1.0, 1.0, 0.0));
        let near = Detail::of(NEAR);
        assert_eq!((near.field, near.marks, near.numbers), (0.0, 1.0, 1.0));
        assert_eq!(Detail::of(FAR).marks, 1.0);
    }

    #[test]
    fn levels_fade_into_one_another() {
        let mut before = Detail::of(1.0);
        for step in 1..3200 {
            let now = Detail::of(1.0 + step as f32 * 0.05);
            let steps = [now.field - before.field, now.marks - before.marks, now.numbers - before.numbers];
            assert!(steps.iter().all(|step| step.abs() < 0.05), "{now:?}");
            before = now;
        }
    }
}
