import Glibc

/// Defers signals that would end the program in the middle of a critical operation: while a line is active
/// (some kernels keep driving the line of a program that has ended), or while only a part of a set of files
/// has been written.
enum Interruption {
    /// The flag of a deferred signal. The flag is `unsafe` because a signal handler may take no lock. The handler only
    /// sets the flag, and only the thread that does the work reads it.
    nonisolated(unsafe) private static var flag: sig_atomic_t = 0
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Whether a signal was received during the work.
    static var came: Bool { flag != 0 }

    static func held<Failure, Result>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        flag = 0
        for number in numbers { signal(number) { _ in Interruption.flag = 1 } }
        defer { for number in numbers { signal(number, SIG_DFL) } }
        return try work()
    }
}
