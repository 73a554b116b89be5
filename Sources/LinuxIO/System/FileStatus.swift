import Glibc
import SystemPackage

/// What the kernel states about a file (inode(7)).
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
    package enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        case folder
        /// A symbolic link.
        case link
        /// A Unix socket.
        case socket
        /// A pipe or a device.
        case other
    }

    /// The device and the number of a file. No two files have the same at the same time.
    package struct Identity: Hashable, Sendable {
        /// The number of the file system's device (`st_dev`).
        let device: UInt64
        /// The inode's number (`st_ino`).
        let number: UInt64
    }

    /// The kind of the file.
    package let kind: Kind
    /// The device and the number of the file.
    package let identity: Identity
    /// The size in bytes.
    package let size: Int
    /// The ID of the user that owns the file.
    package let owner: UInt32
    /// The ID of the file's group.
    package let group: UInt32
    /// The permissions with the set-ID bits and the sticky bit, 12 bits.
    package let mode: UInt32
    /// The number of names (hard links).
    package let names: Int
    /// The time of the last modification, in seconds since 1970.
    let modified: Int64

    /// Whether the permissions let users other than the owner read, write or execute the file.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Examines a path. `links`: what a symbolic link at its end means.
    package init(_ path: String, links: OpenFile.Links = .notFollowed) throws(SystemError) {
        do {
            self.init(try path.withCString { try Stat($0, followTargetSymlink: links == .followed) })
        } catch {
            throw SystemError("examining \(path)", error)
        }
    }

    /// Examines a name in a folder, not following a symbolic link.
    init(_ name: String, in folder: OpenFile) throws(SystemError) {
        do {
            self.init(
                try name.withCString {
                    try Stat($0, relativeTo: FileDescriptor(rawValue: folder.descriptor), flags: .symlinkNoFollow)
                })
        } catch {
            throw SystemError("examining \(folder.path(of: name))", error)
        }
    }

    /// Examines an open file. `name`: for messages.
    init(of descriptor: Int32, _ name: String) throws(SystemError) {
        do throws(Errno) {
            self.init(try Stat(FileDescriptor(rawValue: descriptor)))
        } catch {
            throw SystemError("examining \(name)", error)
        }
    }

    private init(_ stat: Stat) {
        kind =
            switch stat.type {
            case .regular: .file
            case .directory: .folder
            case .symbolicLink: .link
            case .socket: .socket
            default: .other
            }
        identity = Identity(device: UInt64(stat.rawValue.st_dev), number: UInt64(stat.rawValue.st_ino))
        (size, names) = (Int(stat.size), stat.linkCount)
        (owner, group, mode) = (stat.userID.rawValue, stat.groupID.rawValue, stat.rawValue.st_mode & 0o7777)
        modified = Int64(stat.rawValue.st_mtim.tv_sec)
    }
}
