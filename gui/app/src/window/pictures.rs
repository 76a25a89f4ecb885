//! Pictures of canvases as PNG files, without a visible window.
//!
//! The same canvas gives the same bytes. A file is there whole or not at all: it is written under another name first.

use std::{
    cell::RefCell,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    rc::Rc,
};

use macroquad::{
    texture::{Image, render_target},
    window::next_frame,
};

use super::{
    Easel, MAX_EDGE, WindowFailure,
    brush::Brush,
    desktop::{configuration, live},
};
use zappy_observer::film::{Film, part};
use zappy_observer::ink::Canvas;

/// Gives pictures: draws on the canvas and says where the picture belongs, or that there is none any more.
pub type Painter<Place = PathBuf> = Box<dyn FnMut(&mut Canvas) -> Option<Place>>;

/// Writes pictures of exactly `width` x `height` px, `scale` px to the point, as long as `next` draws some; gives their
/// number. The canvas has begun its frame when `next` is called.
///
/// # Errors
/// When there is no display or no OpenGL, or a picture cannot be written.
pub fn pictures(width: u32, height: u32, scale: f32, next: Painter) -> Result<usize, WindowFailure> {
    let save = |path: PathBuf, image: &Image| {
        write(&path, image).map_err(|reason| WindowFailure::Picture { path, reason })
    };
    paint_all((width, height), scale, next, save)
}

/// Adds frames of that size to a film as long as `next` draws some; gives their number.
///
/// # Errors
/// When there is no display or no OpenGL, or the film can't be made.
pub fn film(size: (u32, u32), scale: f32, next: Painter<()>, film: Film) -> Result<usize, WindowFailure> {
    let film = Rc::new(RefCell::new(Some(film)));
    let growing = film.clone();
    let add = move |(), image: &Image| {
        let mut film = growing.borrow_mut();
        Ok(film.as_mut().map_or(Ok(()), |film| film.add(&image.bytes))?)
    };
    let count = paint_all(size, scale, next, add)?;
    film.take().map_or(Ok(()), Film::finish)?;
    Ok(count)
}

/// Paints pictures as long as `next` draws some, and hands each to `keep`; gives their number.
fn paint_all<P: 'static>(
    (width, height): (u32, u32),
    scale: f32,
    mut next: Painter<P>,
    mut keep: impl FnMut(P, &Image) -> Result<(), WindowFailure> + 'static,
) -> Result<usize, WindowFailure> {
    if !(1..=MAX_EDGE).contains(&width) || !(1..=MAX_EDGE).contains(&height) {
        return Err(WindowFailure::Size(width, height));
    }
    live(configuration("Zappy: pictures", (320, 200), false)?, async move {
        let mut brush = Brush::new()?;
        let mut canvas = Canvas::new();
        let target = render_target(width, height);
        let mut count = 0;
        loop {
            canvas.begin(width as f32, height as f32, scale);
            let Some(place) = next(&mut canvas) else { return Ok(count) };
            brush.clear(&target);
            brush.draw(&mut canvas, Some(&target));
            keep(place, &target.texture.get_texture_data())?;
            count += 1;
            // macroquad frees what is not needed any more between its frames.
            next_frame().await;
        }
    })
}

/// Writes what a window shows to a file.
pub(super) fn write_frame(easel: &mut Easel, path: &Path) -> io::Result<()> {
    let (width, height) = (easel.events.size.0 as u32, easel.events.size.1 as u32);
    let target = render_target(width.clamp(1, MAX_EDGE), height.clamp(1, MAX_EDGE));
    easel.brush.clear(&target);
    easel.brush.draw(&mut easel.canvas, Some(&target));
    write(path, &target.texture.get_texture_data())
}

/// Writes an image that has its first row at the top.
fn write(path: &Path, image: &Image) -> io::Result<()> {
    // Renaming would put the picture in the place of a device or a pipe.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("there is something that is no file"));
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = part().prefix(".zappy-").suffix(".png").tempfile_in(directory)?;
    let mut buffer = BufWriter::new(file.as_file_mut());
    encode(&mut buffer, image).map_err(io::Error::other)?;
    buffer.flush()?;
    drop(buffer);
    file.persist(path)?;
    Ok(())
}

fn encode(to: impl Write, image: &Image) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(to, u32::from(image.width), u32::from(image.height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
    let opaque: Vec<u8> =
        image.bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    encoder.write_header()?.write_image_data(&opaque)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        Image { bytes: vec![1, 2, 3, 255, 4, 5, 6, 0], width: 2, height: 1 }
    }

    #[test]
    fn a_picture_is_written_whole_and_can_be_read_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("picture.png");
        write(&path, &image()).expect("written");
        let mut reader =
            png::Decoder::new(std::fs::File::open(&path).expect("there")).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut pixels).expect("pixels");
        assert_eq!(pixels, [1, 2, 3, 4, 5, 6]);
        assert_eq!(std::fs::read_dir(directory.path()).expect("listed").count(), 1);
    }

    #[test]
    fn a_picture_that_cannot_be_written_is_an_error() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(write(&directory.path().join("nowhere/picture.png"), &image()).is_err());
        assert!(write(directory.path(), &image()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_never_replaced() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("socket.png");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert!(write(&socket, &image()).is_err());
        assert!(!std::fs::symlink_metadata(&socket).expect("still there").is_file());
        assert_eq!(std::fs::read_dir(directory.path()).expect("listed").count(), 1);
    }

    #[test]
    fn impossible_sizes_are_refused_before_a_window_opens() {
        for (width, height) in [(0, 5), (5, 0), (MAX_EDGE + 1, 5)] {
            assert!(matches!(pictures(width, height, 1.0, Box::new(|_| None)), Err(WindowFailure::Size(..))));
        }
    }
}
