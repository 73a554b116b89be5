import Glibc

/// Defers SIGINT, SIGTERM, SIGHUP and SIGQUIT during a critical operation: while a line is active (some kernels keep
/// driving the line of a program that has ended), or while only a part of a set of files is written.
enum Interruption {
    /// Whether a signal was deferred: 1, otherwise 0. The variable is `unsafe` because a signal handler must not use a
    /// lock. The handler only sets the variable, and only the thread of the operation reads it.
    nonisolated(unsafe) private static var flag: sig_atomic_t = 0
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Whether a signal was received during the last call of ``held(_:)``.
    static var came: Bool { flag != 0 }

    static func held<Failure, Result>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        flag = 0
        for number in numbers { signal(number) { _ in Interruption.flag = 1 } }
        defer { for number in numbers { signal(number, SIG_DFL) } }
        return try work()
    }
}
