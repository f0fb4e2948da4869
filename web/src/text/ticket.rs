//! Faults of Flink and its connectors, by their tickets.

use barrierscope_core::scenario::Ticket;

use super::Lang;

/// What a fault does, in one sentence, and until when it was there.
pub const fn ticket(lang: Lang, ticket: Ticket) -> &'static str {
    match ticket {
        Ticket::Flink8086 => lang.pick(
            "a commit that is refused at recovery is fatal, even if the transaction was committed before: the job never starts (until November 2017)",
            "恢复时提交被拒绝就是致命错误，即使事务早已提交：作业无法启动（至 2017 年 11 月）",
        ),
        Ticket::Flink8132 => lang.pick(
            "a producer of the pool is used again without initTransactions(): two transactions have one identity (until November 2017)",
            "池中的生产者不经 initTransactions() 就再次使用：两个事务共用一个身份（至 2017 年 11 月）",
        ),
        Ticket::Flink35749 => lang.pick(
            "a failed write is not noticed: the checkpoint is complete without the record (at-least-once, until July 2024)",
            "写入失败未被察觉：检查点在缺少该记录的情况下完成（at-least-once，至 2024 年 7 月）",
        ),
        Ticket::Flink40626 => lang.pick(
            "with POOLING, a later open transaction under a pre-committed id is not aborted at the start, and blocks readers",
            "使用 POOLING 时，已预提交 ID 下更晚的未结事务在启动时不被中止，挡住读者",
        ),
        Ticket::Flink26783 => lang.pick(
            "a commit that fails after stop-with-savepoint restarts the job from the checkpoint before: records come twice (until 1.15)",
            "以保存点停止后提交失败，作业从更早的检查点重启：记录重复（至 1.15）",
        ),
    }
}
