//! The window: events in, vertices out.
