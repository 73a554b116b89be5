import Foundation
import Glibc

/// A program at a terminal: the test reads its output and types its input, and ^C interrupts it.
final class Pseudoterminal {
    private let master: Int32
    private let id: pid_t
    private var isOver = false
    /// The output of the program so far, with the echo of the input.
    private(set) var screen = ""
    /// The output since the last text that was waited for.
    private var seen = ""

    /// Starts a program in that folder, with the terminal as its controlling terminal: a session leader that
    /// opens a terminal gets it.
    init(_ program: String, _ arguments: [String], in folder: Scratch) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (unlocked, number) = (Int32(0), UInt32(0))
        // TIOCSPTLCK, TIOCGPTN (ioctl_tty(2)).
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw ProgramFailure(description: "no pseudoterminal: \(errno)")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
        for stream in [Int32(1), 2] { posix_spawn_file_actions_adddup2(&actions, 0, stream) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | Int16(newSession))
        let words = ["env", "--chdir=" + folder.url.path, "TERM=vt100", program] + arguments
        var texts: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment.merging(folder.environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, "env", &actions, &attributes, &texts, &variables)
        guard code == 0 else { throw ProgramFailure(description: "\(program) does not start: \(code)") }
        self.id = id
    }

    deinit {
        close(master)
        if !isOver {
            kill(-id, SIGKILL)
            waitpid(id, nil, 0)
        }
    }

    /// Types this text.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Waits until the program has written `text`, after the text that was waited for before, and types an
    /// answer and a line end.
    func wait(for text: String, then answer: String? = nil) async throws {
        try await poll("\"\(text)\"") { seen.contains(text) }
        if let range = seen.range(of: text) { seen = String(seen[range.upperBound...]) }
        if let answer { type(answer + "\n") }
    }

    /// Waits for the program's end; returns its exit code, or minus the signal's number.
    func end() async throws -> Int32 {
        var status: Int32 = 0
        try await poll("the end") {
            isOver = isOver || waitpid(id, &status, WNOHANG) == id
            return isOver
        }
        drain()
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    private func poll(_ what: String, until isTrue: () -> Bool) async throws {
        let until = ContinuousClock.now + .seconds(60)
        while true {
            drain()
            if isTrue() { return }
            guard ContinuousClock.now < until else {
                throw ProgramFailure(description: "no \(what) within 60 s: \(screen.suffix(1000))")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { return }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            screen += text
            seen += text
        }
    }
}
