//! The words around the lessons.

use super::Lang;
use crate::state::Task;
use crate::state::lesson::LESSONS;

/// Which part of which lesson it is.
pub fn number(lang: Lang, task: Task) -> String {
    let (lesson, of) = (task.place() + 1, LESSONS.len());
    let (part, parts) = (task.number(), task.lesson().parts.len());
    let first = match lang {
        Lang::En => format!("Lesson {lesson} of {of}"),
        Lang::Zh => format!("第 {lesson} 课，共 {of} 课"),
    };
    match (parts, lang) {
        (1, _) => first,
        (_, Lang::En) => format!("{first}, question {part} of {parts}"),
        (_, Lang::Zh) => format!("{first}，第 {part}/{parts} 问"),
    }
}

/// What the run says of a prediction.
pub const fn told(lang: Lang, is_right: bool) -> &'static str {
    match is_right {
        true => lang.pick("As you said.", "如你所料。"),
        false => lang.pick("It came out otherwise.", "预测与实际结果不同。"),
    }
}

/// What an answer is, for who does not see it.
pub const fn remark(lang: Lang, given: bool, right: bool, told: bool) -> Option<&'static str> {
    match (given, right, told) {
        (true, true, _) => Some(lang.pick(" (yours, and right)", "（你的回答，正确）")),
        (false, true, _) => Some(lang.pick(" (right)", "（正确）")),
        (true, false, true) => Some(lang.pick(" (yours, and wrong)", "（你的回答，错误）")),
        _ => None,
    }
}

/// The way on.
pub fn next(lang: Lang, next: Task, title: &str) -> String {
    match (next.number(), lang) {
        (1, Lang::En) => format!("Next lesson: {title}"),
        (1, Lang::Zh) => format!("下一课：{title}"),
        (_, Lang::En) => "Next question".to_owned(),
        (_, Lang::Zh) => "下一问".to_owned(),
    }
}

/// After the last lesson.
pub fn finished(lang: Lang, count: usize) -> String {
    match lang {
        Lang::En => format!(
            "That was the last of {count} lessons. Now break it yourself: every setting and every fault is yours."
        ),
        Lang::Zh => {
            format!("这是 {count} 课中的最后一课。现在请亲手弄坏它：所有设置和故障都由你掌握。")
        }
    }
}

/// How a lesson went.
pub fn done(lang: Lang, right: usize, of: usize) -> String {
    match lang {
        Lang::En => format!("✓ {right} of {of} predicted"),
        Lang::Zh => format!("✓ 猜对 {right}/{of}"),
    }
}
