//! Shapes and text as vertices.
