//! The words of the comparison: what is measured, and what the figures say.

use barrierscope_core::Barriers;
use barrierscope_core::time::Micros;

use super::{Lang, bytes, duration, number};
use crate::state::Figures;

/// The name of a way of taking checkpoints.
pub const fn barriers(lang: Lang, barriers: Barriers) -> &'static str {
    match barriers {
        Barriers::Aligned => lang.pick("aligned", "对齐"),
        Barriers::Unaligned => lang.pick("unaligned", "非对齐"),
        Barriers::AtLeastOnce => lang.pick("at-least-once", "至少一次"),
    }
}

/// Something that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// [`Figures::latency`]
    Latency,
    /// [`Figures::latency_p99`]
    LatencyP99,
    /// [`Figures::duration`]
    Duration,
    /// [`Figures::longest`]
    Longest,
    /// [`Figures::stored`]
    Stored,
    /// [`Figures::in_flight`]
    InFlight,
    /// [`Figures::blocked`]
    Blocked,
    /// [`Figures::recovery`]
    Recovery,
    /// [`Figures::repeated`]
    Repeated,
    /// [`Figures::miscounted`]
    Miscounted,
    /// [`Figures::doubled`]
    Doubled,
    /// [`Figures::lost`]
    Lost,
    /// [`Figures::failed`]
    Failed,
}

impl Measure {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 13] = [
        Self::Latency,
        Self::LatencyP99,
        Self::Duration,
        Self::Longest,
        Self::Stored,
        Self::InFlight,
        Self::Blocked,
        Self::Recovery,
        Self::Repeated,
        Self::Miscounted,
        Self::Doubled,
        Self::Lost,
        Self::Failed,
    ];

    /// Its name, and what exactly it is.
    pub const fn name(self, lang: Lang) -> (&'static str, &'static str) {
        match self {
            Self::Latency => lang.pick(
                ("latency, median", "from a record’s reading to the reader"),
                ("延迟，中位数", "从读取记录到读者可见"),
            ),
            Self::LatencyP99 => lang.pick(
                ("latency, p99", "99 of 100 records are faster"),
                ("延迟，p99", "100 条中 99 条更快"),
            ),
            Self::Duration => lang.pick(
                ("checkpoint duration, median", "end to end"),
                ("检查点耗时，中位数", "端到端"),
            ),
            Self::Longest => lang.pick(
                ("checkpoint duration, longest", "end to end"),
                ("检查点耗时，最长", "端到端"),
            ),
            Self::Stored => lang.pick(
                ("bytes stored, median", "for a completed checkpoint"),
                ("保存的字节，中位数", "每个已完成的检查点"),
            ),
            Self::InFlight => lang.pick(
                ("of that, in-flight data", "records that barriers overtook"),
                ("其中在途数据", "被 barrier 越过的记录"),
            ),
            Self::Blocked => lang.pick(
                ("channels blocked", "all of them together"),
                ("通道被阻塞", "所有通道合计"),
            ),
            Self::Recovery => lang.pick(
                (
                    "recovery, median",
                    "until all is read again that had been read",
                ),
                ("恢复时间，中位数", "直到重新读完此前读过的记录"),
            ),
            Self::Repeated => lang.pick(
                ("records read again", "because of recoveries"),
                ("重复读取的记录", "由于恢复"),
            ),
            Self::Miscounted => lang.pick(
                ("miscounted in a state", "records, in the end"),
                ("状态中计错", "记录数，最终"),
            ),
            Self::Doubled => lang.pick(
                (
                    "seen twice by the reader",
                    "records, depends on the sink too",
                ),
                ("读者重复看到", "记录数，也取决于 sink"),
            ),
            Self::Lost => lang.pick(
                ("lost for the reader", "records, in the end"),
                ("读者丢失", "记录数，最终"),
            ),
            Self::Failed => lang.pick(
                ("checkpoints failed", "or refused"),
                ("失败的检查点", "含被拒绝的"),
            ),
        }
    }

    /// Its value: the less, the better; none if there was nothing to measure.
    pub fn value(self, figures: &Figures) -> Option<u64> {
        let time = |time: Option<Micros>| time.map(|time| time.0);
        match self {
            Self::Latency => time(figures.latency),
            Self::LatencyP99 => time(figures.latency_p99),
            Self::Duration => time(figures.duration),
            Self::Longest => time(figures.longest),
            Self::Stored => figures.stored,
            Self::InFlight => figures.in_flight,
            Self::Blocked => Some(figures.blocked.0),
            Self::Recovery => time(figures.recovery),
            Self::Repeated => figures.repeated,
            Self::Miscounted => Some(figures.miscounted),
            Self::Doubled => Some(figures.doubled),
            Self::Lost => Some(figures.lost),
            Self::Failed => Some(figures.failed),
        }
    }

    /// Its value with its unit.
    pub fn write(self, value: u64) -> String {
        match self {
            Self::Latency
            | Self::LatencyP99
            | Self::Duration
            | Self::Longest
            | Self::Blocked
            | Self::Recovery => duration(Micros(value)),
            Self::Stored | Self::InFlight => bytes(value),
            Self::Repeated | Self::Miscounted | Self::Doubled | Self::Lost | Self::Failed => {
                number(value)
            }
        }
    }

    /// The least of some values, unless they are all the same: which is the best then.
    pub fn best(self, figures: &[Option<&Figures>]) -> Option<u64> {
        let values = figures.iter().flatten().filter_map(|f| self.value(f));
        let (least, most) = values.fold((u64::MAX, 0), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        (least < most).then_some(least)
    }
}
