import Glibc
import TestSteps

/// A process in a process group of its own, with its output and errors in one file.
///
/// Foundation's `Process` does not fit: it treats a process as running while a descendant keeps one of its
/// descriptors open.
struct TestProcess {
    /// The process id, which is also the id of its group.
    let id: pid_t

    /// The process could not start.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a program with empty input. `output` receives its output and its errors.
    init(_ path: String, _ arguments: [String], environment: [String: String], output: Int32) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for descriptor in [Int32(1), 2] { posix_spawn_file_actions_adddup2(&actions, output, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The runner ignores the signals that interrupt it; its children must not.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, &attributes, &words, &variables)
        guard code == 0 else {
            throw Failure(description: "\(path) does not start: \(String(cString: strerror(code)))")
        }
        self.id = id
        Children.shared.add(id)
    }

    /// Returns how the process ended, `exit 0` or `signal 11`; nil while it runs. Must not be called again
    /// after the process has ended.
    func ending() -> String? {
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        Children.shared.remove(id)
        Glibc.kill(-id, SIGKILL)  // kills the processes left in its group
        let signal = status & 0x7F  // wait(2)
        return signal == 0 ? "exit \(status >> 8 & 0xFF)" : "signal \(signal)"
    }

    /// Ends the process and every process of its group.
    func kill() { Children.kill(id) }
}
