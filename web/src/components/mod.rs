//! The parts of the page around the stage, one a file.

pub mod account;
pub mod bars;
pub mod checkpoint_row;
pub mod checkpoints;
pub mod compare;
pub mod faults;
pub mod guarantees;
pub mod help;
pub mod icon;
pub mod inspector;
pub mod knob;
pub mod knobs;
pub mod menu;
pub mod notice;
pub mod option_knob;
pub mod option_name;
pub mod options;
pub mod outages;
pub mod runs;
pub mod scenarios;
pub mod scrubber;
pub mod settings;
pub mod story;
pub mod top_bar;
pub mod transport;
pub mod views;
