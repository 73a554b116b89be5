import CLinuxShims
import Encoding
import Glibc

/// A program that says a text aloud, such as espeak-ng: `PROGRAM -v LANGUAGE TEXT`.
package struct SpeechProgram: Sendable {
    /// What became of a text.
    package enum End: Hashable, Sendable {
        /// It was said, as far as the program knows.
        case said
        /// There is no such program, or it may not be run; the system's reason.
        case absent(String)
        /// The program ended otherwise: a sound card that is missing, a voice that it does not have.
        case failed
        /// It took longer than ``limit`` and was ended.
        case tooLong
    }

    /// How long a text may take.
    package static let limit: Duration = .seconds(5)

    /// What it is called: its name or its path.
    package var name: String { program }

    private let program: String
    private let language: String
    private let limit: Duration

    /// A program by its path, or by its name on the path.
    package init(_ program: String, language: String, limit: Duration = Self.limit) {
        (self.program, self.language, self.limit) = (program, language, limit)
    }

    /// Why it cannot be run, in the system's words; nil: as far as its file tells it can.
    package var obstacle: String? {
        Self.obstacle(to: program, on: getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin")
    }

    /// The same for a program that is looked for on `path` where its name has no slash. `root`: what stands before those folders.
    package static func obstacle(to program: String, on path: String, root: String = "") -> String? {
        func code(_ file: String) -> Int32 {
            var status = stat()
            guard stat(file, &status) == 0 else { return errno }
            guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
            return access(file, X_OK) == 0 ? 0 : errno
        }
        let isPath = program.utf8.contains(UInt8(ascii: "/"))
        let codes = isPath ? [code(program)] : path.split(separator: ":").map { code("\(root)\($0)/\(program)") }
        guard !codes.contains(0) else { return nil }
        // What is there and cannot be run tells more than where nothing is.
        return String(cString: strerror(codes.first { $0 != ENOENT && $0 != ENOTDIR } ?? ENOENT))
    }

    /// Says the text and waits for its end, ``limit`` at most: for a thread that may.
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
        // With whatever it has started.
        kill(-id, SIGKILL)
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return .tooLong
    }

    /// Starts it in a process group of its own, without our signals and streams.
    private func spawn(_ words: [String], _ id: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        // Neither radio nor relay may stay open in a program that outlives this one.
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
