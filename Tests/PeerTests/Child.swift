import Foundation
import Glibc
import Synchronization

/// A program that a test started. The test ends it by its process id; if the test process dies, a guard ends
/// it.
///
/// Standard output and error are written to a file, which the test reads (``Journal``) and which is kept for
/// a person who looks for a fault.
final class Child: Sendable {
    /// How a program ended.
    enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    let id: pid_t
    private let isGuarded: Bool
    private let input: Mutex<Int32?>
    private let end = Mutex<End?>(nil)

    /// Starts `path`. The output is appended to the file `output`, whose folder also holds the usual folders
    /// of a gate. `descriptors` maps the program's descriptor numbers to the descriptors that replace them.
    /// When `isGuarded` is false, the program must end by itself at the end of its input.
    init(
        _ path: String, _ arguments: [String], output: String, descriptors: [Int32: Int32] = [:],
        isGuarded: Bool = false
    ) throws {
        // A socket pair instead of a pipe: writing to a program that has ended is then an error instead of a
        // signal. Close-on-exec: otherwise the next child would hold this child's input open.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw PeerFailure("no sockets: \(errno)")
        }
        defer { close(ends[0]) }
        do {
            id = try Self.spawn([path] + arguments, input: ends[0], output: output, descriptors)
        } catch {
            close(ends[1])
            throw error
        }
        input = Mutex(ends[1])
        self.isGuarded = isGuarded
        if isGuarded { try Guard.shared.watch(id) }
    }

    deinit {
        closeInput()
        if end.withLock({ $0 == nil }) {
            kill(id, SIGKILL)
            var status: Int32 = 0
            waitpid(id, &status, 0)
            if isGuarded { Guard.shared.forget(id) }
        }
    }

    /// Writes a line to its standard input.
    func send(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        let written = input.withLock { input in
            input.map { Glibc.send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) } ?? -1
        }
        guard written == bytes.count else { throw PeerFailure("process \(id) takes no input") }
    }

    /// Closes its standard input.
    func closeInput() {
        input.withLock { input in
            if let descriptor = input { close(descriptor) }
            input = nil
        }
    }

    /// Sends a signal, unless the program has ended.
    func signal(_ number: Int32) {
        end.withLock { if $0 == nil { kill(id, number) } }
    }

    /// Stops the program until SIGCONT, and waits until each of its threads has stopped: a thread in the
    /// middle of a read still consumes later data until it is scheduled.
    func pause(within limit: Duration = .seconds(10)) async throws {
        signal(SIGSTOP)
        let until = ContinuousClock.now + limit
        while !isStopped {
            guard ContinuousClock.now < until else { throw PeerFailure("process \(id) does not stop within \(limit)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Whether the kernel reports each thread as stopped.
    private var isStopped: Bool {
        let folder = TaskFolder(process: id)
        let threads = folder.threads
        return !threads.isEmpty && threads.allSatisfy { folder.state(of: $0) == "T" }
    }

    /// Returns how the program ended, or nil while it runs.
    func poll() -> End? {
        let (end, isNew) = end.withLock { end -> (End?, Bool) in
            if end != nil { return (end, false) }
            var status: Int32 = 0
            guard waitpid(id, &status, WNOHANG) == id else { return (nil, false) }
            let number = status & 0x7F  // wait(2): 0 for an exit, else the signal
            end = number == 0 ? .exit((status >> 8) & 0xFF) : .signal(number)
            return (end, true)
        }
        if isNew, isGuarded { Guard.shared.forget(id) }
        return end
    }

    /// Waits for the end, for at most `limit` plus the delay that the machine causes (`owed`), which is read
    /// again at each look.
    func wait(within limit: Duration, owed: () -> Duration = { .zero }) async throws -> End {
        let until = ContinuousClock.now + limit
        while true {
            // Read first: a stalled test is not a stalled program.
            let isLate = ContinuousClock.now >= until + owed()
            if let end = poll() { return end }
            if isLate { throw PeerFailure("process \(id) did not end within \(limit)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func spawn(
        _ words: [String], input: Int32, output: String, _ descriptors: [Int32: Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let root = URL(fileURLWithPath: output).deletingLastPathComponent().path
        let merged = ProcessInfo.processInfo.environment.merging(["GATEHOUSE_ROOT": root]) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, words[0], &actions, nil, &arguments, &variables)
        guard code == 0 else { throw PeerFailure("\(words[0]) does not start: \(String(cString: strerror(code)))") }
        return id
    }
}

/// A shell that ends the guarded programs when the test process dies before it has ended them: the shell's
/// input ends then.
private final class Guard: Sendable {
    static let shared = Guard()

    private let shell = Mutex<Child?>(nil)

    /// Reads "watch ID" and "forget ID"; at the end of its input, it kills the programs that are still
    /// watched.
    private static let script = """
        watched=" "
        while read -r word id; do
            if [ "$word" = watch ]; then watched="$watched$id "
            else watched="${watched%% $id *} ${watched#* $id }"; fi
        done
        for id in $watched; do kill -9 "$id"; done
        """

    func watch(_ id: pid_t) throws {
        try shell.withLock { shell in
            if shell == nil { shell = try Child("sh", ["-c", Self.script], output: "/dev/null") }
            try shell?.send("watch \(id)")
        }
    }

    func forget(_ id: pid_t) {
        shell.withLock { try? $0?.send("forget \(id)") }
    }
}
