import Glibc

/// What keeps a file or folder from being read, as the kernel tells the user of this process: in words that follow its name, as
/// what helps a missing file is of no use where it may not be read.
package enum FileObstacle: Hashable, Sendable {
    /// There is none of that name.
    case absent
    /// This user may not read it, or not pass a folder on the way.
    case forbidden(user: String)
    /// Something else is in its place.
    case otherKind(wanted: String)
    /// The system gives this errno value.
    case failed(code: Int32)

    /// What keeps the file from being read; nil: nothing does. A pipe is none, and nobody waits for it.
    package init?(_ path: String) { self.init(path, S_IFREG, "file") }

    /// What keeps the folder from being listed; nil: nothing does.
    package init?(folder path: String) { self.init(path, S_IFDIR, "folder") }

    private init?(_ path: String, _ kind: mode_t, _ name: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: self = .absent
            case EACCES, EPERM: self = .forbidden(user: Accounts.userName)
            case let code: self = .failed(code: code)
            }
            return
        }
        defer { close(file) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_mode & S_IFMT == kind { return nil }
        self = .otherKind(wanted: name)
    }

    /// What is wrong, to follow the name.
    package var text: String {
        switch self {
        case .absent: "is not there"
        case .forbidden(let user): "may not be read by the user \(user)"
        case .otherKind(let wanted): "is no \(wanted)"
        case .failed(let code): "cannot be read: \(String(cString: strerror(code)))"
        }
    }

    /// What to do about it; nil where that depends on what it is for.
    package var remedy: String? {
        switch self {
        case .forbidden: "Let that user read it and pass the folders on the way: chgrp, chmod (namei -l shows them)."
        case .failed: "Look at the disk (dmesg)."
        case .absent, .otherKind: nil
        }
    }
}
