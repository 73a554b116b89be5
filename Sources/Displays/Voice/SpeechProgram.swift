import CLinuxShims
import Encoding
import Glibc
import LinuxIO

/// A text-to-speech program such as espeak-ng, which is called as `PROGRAM -v LANGUAGE TEXT`.
package struct SpeechProgram: Sendable {
    /// The result of speaking a text.
    package enum End: Hashable, Sendable {
        /// The program spoke the text and ended successfully.
        case said
        /// The program does not exist or may not be run. The text is the system's error message.
        case absent(String)
        /// The program failed, for example because the sound card or the voice is missing.
        case failed
        /// The program took longer than ``limit`` and was killed.
        case tooLong
    }

    /// The time after which a program that still speaks is killed.
    package static let limit: Duration = .seconds(5)

    /// The program's name or path, as configured.
    package var name: String { program }

    private let program: String
    private let language: String
    private let limit: Duration

    /// Creates a speech program from its path, or from its name in `PATH`. `language` is the value of the option
    /// `-v`. `limit` is the time after which the program is killed.
    package init(_ program: String, language: String, limit: Duration = Self.limit) {
        (self.program, self.language, self.limit) = (program, language, limit)
    }

    /// The system's error message if the program's file does not exist or may not be run; nil otherwise. Does not run
    /// the program.
    package var obstacle: String? {
        Self.obstacle(to: program, on: getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin")
    }

    /// Returns the system's error message if `program` cannot be run; nil if it can. A name without a slash is looked
    /// for in the folders of `path`. `root` is a prefix of these folders.
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
        // Prefer the error of a file that exists but may not be run to "no such file", because it is more useful to
        // the operator.
        return String(cString: strerror(codes.first { $0 != ENOENT && $0 != ENOTDIR } ?? ENOENT))
    }

    /// Speaks the text and waits until the program has ended, for at most ``limit``. Blocks the calling thread.
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
        // Kill the whole process group, so that processes that the program has started end too.
        kill(-id, SIGKILL)
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return .tooLong
    }

    /// Starts the program in a process group of its own, with default signal handling and with /dev/null as its
    /// streams. Returns 0 or an errno value.
    private func spawn(_ words: [String], _ id: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        // Close all other descriptors in the program. It must not inherit those of the radio and the relay, which
        // would stay open if the program outlives this process.
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
