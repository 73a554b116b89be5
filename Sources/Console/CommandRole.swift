import LinuxIO
package import Settings
import Synchronization

/// The rights with which a command run by root works in the service's folders: those of the folders' owner. As root the
/// command would follow links and pipes that the owner can place there at any moment. The role begins when the command
/// knows the folders, and lasts until the command ends.
package enum CommandRole {
    private static let held = Mutex<OwnerRole?>(nil)

    /// Begins the role for the owner of a gate's folders. Does nothing if a role has begun already.
    package static func take(for gate: Configuration) { held.withLock { if $0 == nil { $0 = gate.ownerRole() } } }

    /// Begins the role for the owner of a path. Does nothing if a role has begun already.
    package static func take(for path: String) { held.withLock { if $0 == nil { $0 = OwnerRole(of: path) } } }

    /// Runs `body` with the rights of the owner of `path`, who may be another user than the owner of the gate's
    /// folders.
    package static func asOwner<Value, Failure>(
        of path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        held.withLock { $0?.pause() }
        defer { held.withLock { $0?.resume() } }
        return try OwnerRole.of(path, body)
    }

    /// Runs `body` as root, for a path that the operator has named. If the path leads through a folder or link of the
    /// role's owner, runs `body` with the owner's rights.
    package static func at<Value>(_ path: String, _ body: () throws -> Value) rethrows -> Value {
        held.withLock { role in
            role?.pause()
            if role?.leads(path) == true { role?.resume() }
        }
        defer { held.withLock { $0?.resume() } }
        return try body()
    }
}
