//! The words of runs that stand side by side: what they differ in, and how they stand at a moment.

use barrierscope_core::mark::MarkKind;
use barrierscope_core::scenario::DeliveryGuarantee;
use barrierscope_core::scene::votes::{PropertyStatus, PropertyView};
use barrierscope_core::statistics::{CheckpointStatistics, Status};
use barrierscope_core::time::Micros;

use super::comparison::barriers;
use super::kafka::face::isolation;
use super::{Label, Lang, bytes, duration, label, number};
use crate::state::{Axis, Model, Side, View};

/// What runs differ in: in the projects' own names where there are some.
pub const fn axis(lang: Lang, axis: Axis) -> &'static str {
    match axis {
        Axis::Barriers => lang.pick("barriers", "barrier"),
        Axis::AlignedTimeout => "aligned-checkpoint-timeout",
        Axis::Sink => "DeliveryGuarantee",
        Axis::Isolation => "isolation.level",
        Axis::Acks => "acks",
        Axis::Idempotence => "enable.idempotence",
        Axis::Processing => "processing.guarantee",
        Axis::Termination => lang.pick("cooperative termination", "协作终止"),
        Axis::Presumed => lang.pick("presumed abort", "假定中止"),
        Axis::Fix => lang.pick("the fix", "修复"),
        Axis::Branch => lang.pick("what was chosen", "所作选择"),
    }
}

/// What is particular to a run.
pub fn side(lang: Lang, side: &Side) -> String {
    let with =
        |on: bool, en: [&str; 2], zh: [&str; 2]| lang.pick(en, zh)[usize::from(on)].to_owned();
    match side {
        Side::Barriers(way) => barriers(lang, *way).to_owned(),
        Side::AlignedTimeout(timeout) if timeout.0 == 0 => {
            lang.pick("unaligned at once", "立即非对齐").to_owned()
        }
        Side::AlignedTimeout(timeout) => match lang {
            Lang::En => format!("unaligned after {}", duration(Micros::from(*timeout))),
            Lang::Zh => format!("{} 后转为非对齐", duration(Micros::from(*timeout))),
        },
        Side::Sink(guarantee) => match guarantee {
            DeliveryGuarantee::None => "NONE",
            DeliveryGuarantee::AtLeastOnce => "AT_LEAST_ONCE",
            DeliveryGuarantee::ExactlyOnce => "EXACTLY_ONCE",
        }
        .to_owned(),
        Side::Isolation(level) => isolation(*level).to_owned(),
        Side::Option(name, value) => format!("{name}={value}"),
        Side::Termination(on) => with(
            *on,
            [
                "without cooperative termination",
                "with cooperative termination",
            ],
            ["无协作终止", "有协作终止"],
        ),
        Side::Presumed(on) => with(
            *on,
            ["nothing presumed", "presumed abort"],
            ["无假定", "假定中止"],
        ),
        Side::Fix(on) => {
            let which = if *on {
                Label::WithFix
            } else {
                Label::WithoutFix
            };
            label(lang, which).to_owned()
        }
        Side::Run(run) => match lang {
            Lang::En => format!("run {run}"),
            Lang::Zh => format!("运行 {run}"),
        },
    }
}

/// Something that is told of each run at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// How many records the reader sees.
    Visible,
    /// How many are lost for it.
    Lost,
    /// How many it sees more often than it should.
    Doubled,
    /// How many a state counts wrongly.
    Miscounted,
    /// How many are written and not to be seen yet.
    Waiting,
    /// How many are stuck.
    Stuck,
    /// How many their producer was told to have failed.
    Failed,
    /// How many checkpoints have completed.
    Completed,
    /// How many have failed.
    Aborted,
    /// How long the last completed one took.
    Duration,
    /// How many bytes it stored.
    Stored,
    /// Steps that were taken.
    Steps,
    /// How many have still to decide.
    Undecided,
    /// How many properties of atomic commitment are broken.
    Broken,
    /// Log records that were waited for.
    Forced,
    /// Log records that were not.
    Lazy,
    /// Messages that were sent.
    Messages,
}

impl Told {
    /// What is told of the runs of a model, in the order in which it stands.
    pub const fn of(model: Model) -> &'static [Self] {
        match model {
            Model::Pipeline | Model::Sink => &[
                Self::Visible,
                Self::Lost,
                Self::Doubled,
                Self::Miscounted,
                Self::Waiting,
                Self::Completed,
                Self::Aborted,
                Self::Duration,
                Self::Stored,
                Self::Steps,
            ],
            Model::Delivery | Model::Streams => &[
                Self::Visible,
                Self::Lost,
                Self::Doubled,
                Self::Waiting,
                Self::Stuck,
                Self::Failed,
                Self::Steps,
            ],
            Model::Votes => &[
                Self::Undecided,
                Self::Broken,
                Self::Forced,
                Self::Lazy,
                Self::Messages,
                Self::Steps,
            ],
        }
    }

    /// Its name.
    pub const fn name(self, lang: Lang) -> &'static str {
        match self {
            Self::Visible => lang.pick("records the reader sees", "读者可见的记录"),
            Self::Lost => lang.pick("lost", "丢失"),
            Self::Doubled => lang.pick("doubled", "重复"),
            Self::Miscounted => lang.pick("miscounted in a state", "状态中计错"),
            Self::Waiting => lang.pick("waiting for a commit", "等待提交"),
            Self::Stuck => lang.pick("stuck", "卡住"),
            Self::Failed => lang.pick("failed, and told so", "失败并已告知"),
            Self::Completed => lang.pick("checkpoints completed", "已完成的检查点"),
            Self::Aborted => lang.pick("checkpoints failed", "失败的检查点"),
            Self::Duration => lang.pick("the last one took", "最近一个耗时"),
            Self::Stored => lang.pick("and stored", "并保存了"),
            Self::Steps => lang.pick("steps so far", "目前的步数"),
            Self::Undecided => lang.pick("still to decide", "尚未决定"),
            Self::Broken => lang.pick("properties broken", "被破坏的性质"),
            Self::Forced => lang.pick("forced log writes", "强制日志写入"),
            Self::Lazy => lang.pick("lazy log writes", "非强制日志写入"),
            Self::Messages => lang.pick("messages", "消息"),
        }
    }

    /// How a run stands; none where there is nothing to tell yet.
    pub fn value(self, view: &View) -> Option<u64> {
        let verdict = &view.verdict;
        let records = |count: u32| Some(u64::from(count));
        match self {
            Self::Visible => records(verdict.visible),
            Self::Lost => records(verdict.lost),
            Self::Doubled => records(verdict.doubled),
            Self::Miscounted => records(verdict.miscounted),
            Self::Waiting => records(verdict.waiting),
            Self::Stuck => records(verdict.stuck),
            Self::Failed => records(verdict.failed),
            Self::Completed => Some(marked(view, MarkKind::Completed)),
            Self::Aborted => Some(marked(view, MarkKind::Aborted)),
            Self::Duration => last_completed(view, |it| it.end_to_end.0),
            Self::Stored => last_completed(view, CheckpointStatistics::state_size),
            Self::Steps => Some(view.step as u64),
            Self::Undecided => {
                let still = |it: &&PropertyView| it.status == PropertyStatus::NotYet;
                let nodes = view.properties.iter().filter(still);
                let nodes = nodes.map(|it| it.nodes.len());
                nodes.max().map(|count| count as u64).or(Some(0))
            }
            Self::Broken => {
                let broken = |it: &&PropertyView| matches!(it.status, PropertyStatus::Broken(_));
                Some(view.properties.iter().filter(broken).count() as u64)
            }
            Self::Forced => records(view.costs.forced),
            Self::Lazy => records(view.costs.lazy),
            Self::Messages => records(view.costs.messages),
        }
    }

    /// A value with its unit.
    pub fn write(self, value: u64) -> String {
        match self {
            Self::Duration => duration(Micros(value)),
            Self::Stored => bytes(value),
            _ => number(value),
        }
    }

    /// Whether anything but nothing is wrong.
    pub const fn is_of_faults(self) -> bool {
        matches!(
            self,
            Self::Lost | Self::Doubled | Self::Miscounted | Self::Stuck | Self::Broken
        )
    }
}

fn marked(view: &View, kind: MarkKind) -> u64 {
    view.run.with(|session| {
        let marks = session.marks().iter();
        let so_far = marks.take_while(|mark| mark.step as usize <= view.step);
        so_far.filter(|mark| mark.kind == kind).count() as u64
    })
}

fn last_completed(view: &View, of: impl Fn(&CheckpointStatistics) -> u64) -> Option<u64> {
    view.run.with(|session| {
        let mut completed = session.checkpoints().iter().filter(|it| {
            it.status == Status::Completed && it.triggered + it.end_to_end <= view.time
        });
        completed.next_back().map(of)
    })
}

/// Where a run stands differently from the first one.
pub fn different(lang: Lang, names: &[String]) -> String {
    const MOST: usize = 6;
    let shown = names.iter().take(MOST).cloned().collect::<Vec<_>>();
    let shown = shown.join(lang.pick(", ", "、"));
    let rest = names.len().saturating_sub(MOST);
    match (lang, names.len(), rest) {
        (Lang::En, 0, _) => "stands as the first one does".to_owned(),
        (Lang::Zh, 0, _) => "与第一个运行相同".to_owned(),
        (Lang::En, _, 0) => format!("differs in {shown}"),
        (Lang::Zh, _, 0) => format!("不同之处：{shown}"),
        (Lang::En, ..) => format!("differs in {shown} and {rest} more"),
        (Lang::Zh, ..) => format!("不同之处：{shown} 等 {} 处", names.len()),
    }
}

/// What was done in the run that is looked at, and cannot be done in another one.
pub fn dropped(lang: Lang, what: &[String]) -> String {
    let what = what.join(lang.pick("; ", "；"));
    match lang {
        Lang::En => format!("not possible here: {what}"),
        Lang::Zh => format!("此处无法进行：{what}"),
    }
}
