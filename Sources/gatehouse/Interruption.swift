import Glibc

/// Holds back what would end the program in the middle of something: a line that is active (some kernels keep driving the line of a
/// program that is gone), files of which each is there and not yet all.
enum Interruption {
    /// Unsafe, as a handler of signals may take no lock: it only ever sets this, and the one thread that does the work reads it.
    nonisolated(unsafe) private static var flag: sig_atomic_t = 0
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Whether one came meanwhile.
    static var came: Bool { flag != 0 }

    static func held<Failure, Result>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        flag = 0
        for number in numbers { signal(number) { _ in Interruption.flag = 1 } }
        defer { for number in numbers { signal(number, SIG_DFL) } }
        return try work()
    }
}
