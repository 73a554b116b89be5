import Glibc

/// The reason why this process cannot read a file or folder, as the kernel reports it. Its text follows the file's
/// name in a message. The reasons have different remedies: creating a missing file does not help if reading is
/// forbidden.
package enum FileObstacle: Hashable, Sendable {
    /// No file exists at the path.
    case absent
    /// The user `user` may not read the file, or may not enter a folder of its path.
    case forbidden(user: String)
    /// The path leads to a file of another kind than `wanted`.
    case otherKind(wanted: String)
    /// Another error occurred; `code` is its errno value.
    case failed(code: Int32)

    /// Returns the reason why the regular file at the path cannot be read; nil if it can be read. Does not wait if
    /// the path leads to a pipe.
    package init?(_ path: String) { self.init(path, .file, "file") }

    /// Returns the reason why the folder cannot be listed; nil if it can be listed.
    package init?(folder path: String) { self.init(path, .folder, "folder") }

    private init?(_ path: String, _ kind: FileStatus.Kind, _ name: String) {
        do throws(SystemError) {
            let file = try OpenFile(path, .reading, links: .followed)
            if (try? file.status())?.kind == kind { return nil }
            self = .otherKind(wanted: name)
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR: self = .absent
            case EACCES, EPERM: self = .forbidden(user: Accounts.userName)
            case let code: self = .failed(code: code)
            }
        }
    }

    /// The text that follows the file's name in a message.
    package var text: String {
        switch self {
        case .absent: "does not exist"
        case .forbidden(let user): "may not be read by the user \(user)"
        case .otherKind(let wanted): "is not a \(wanted)"
        case .failed(let code): "cannot be read: \(String(cString: strerror(code)))"
        }
    }

    /// The instruction for the operator that removes the obstacle; nil if it depends on the purpose of the file.
    package var remedy: String? {
        switch self {
        case .forbidden:
            "Give that user permission to read it and to enter the folders of its path: chgrp, chmod "
                + "(namei -l shows them)."
        case .failed: "Check the disk (dmesg)."
        case .absent, .otherKind: nil
        }
    }
}
