import CLinuxShims
import Encoding
import Glibc
import LinuxIO

/// A text-to-speech program such as espeak-ng, called as `PROGRAM -v LANGUAGE TEXT`.
package struct SpeechProgram: Sendable {
    /// The result of speaking a text.
    package enum End: Hashable, Sendable {
        /// The program spoke the phrase and ended successfully.
        case said
        /// The program does not exist, or may not be run; the text is the system's reason.
        case absent(String)
        /// The program failed, e.g. because the sound card or the voice is missing.
        case failed
        /// The program took longer than ``limit`` and was killed.
        case tooLong
    }

    /// The longest time that a text may take.
    package static let limit: Duration = .seconds(5)

    /// The program's name or path, as configured.
    package var name: String { program }

    private let program: String
    private let language: String
    private let limit: Duration

    /// Creates a speech program from its path, or from its name in `PATH`.
    package init(_ program: String, language: String, limit: Duration = Self.limit) {
        (self.program, self.language, self.limit) = (program, language, limit)
    }

    /// The reason why the program cannot be run, in the system's words; nil: it can be run, judging by its
    /// file.
    package var obstacle: String? {
        Self.obstacle(to: program, on: getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin")
    }

    /// Returns why `program` cannot be run; nil if it can. A name without a slash is searched for in the
    /// folders of `path`. `root`: a prefix of those folders.
    package static func obstacle(to program: String, on path: String, root: String = "") -> String? {
        func code(_ file: String) -> Int32 {
            do throws(SystemError) {
                guard try FileStatus(file, links: .followed).kind == .file else { return EACCES }
                return access(file, X_OK) == 0 ? 0 : errno
            } catch {
                return error.code
            }
        }
        let isPath = program.utf8.contains(UInt8(ascii: "/"))
        let codes = isPath ? [code(program)] : path.split(separator: ":").map { code("\(root)\($0)/\(program)") }
        guard !codes.contains(0) else { return nil }
        // Prefer the error of a file that exists but cannot be run: it gives more information than "no such
        // file".
        return String(cString: strerror(codes.first { $0 != ENOENT && $0 != ENOTDIR } ?? ENOENT))
    }

    /// Speaks the text and waits until the program ends, at most for ``limit``. Blocks the calling thread.
    package func say(_ text: String) -> End {
        var id: pid_t = 0
        let code = spawn([program, "-v", language, text], &id)
        guard code == 0 else { return .absent(String(cString: strerror(code))) }
        let end = SystemClock.now().advanced(by: limit)
        var status: Int32 = 0
        while true {
            let ended = waitpid(id, &status, WNOHANG)
            if ended == id { return status == 0 ? .said : .failed }
            if ended < 0, errno != EINTR { return .failed }
            if SystemClock.now() >= end { break }
            usleep(10_000)
        }
        // Kill the whole process group, including processes that the program has started.
        kill(-id, SIGKILL)
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return .tooLong
    }

    /// Starts the program in a process group of its own, with default signal handling and without this
    /// process's streams.
    private func spawn(_ words: [String], _ id: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        // Do not let the program inherit the descriptors of the radio or the relay. The descriptors must not stay open
        // if the program outlives this process.
        clinux_spawn_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        return posix_spawnp(&id, program, &actions, &attributes, &arguments, environ)
    }
}
