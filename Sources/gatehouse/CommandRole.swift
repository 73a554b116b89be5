import Appliance
import LinuxIO
import Synchronization

/// As whom a command of root works in the folders of the service: as their owner, who could put a link, a pipe or anything else in the place
/// of each name at each moment. Begun where a command learns which folders these are, it lasts until the command ends.
enum CommandRole {
    private static let held = Mutex<OwnerRole?>(nil)

    /// Begins it for the folders of a gate.
    static func take(for gate: Configuration) { held.withLock { if $0 == nil { $0 = gate.ownerRole() } } }

    /// Begins it for what lies at a path.
    static func take(for path: String) { held.withLock { if $0 == nil { $0 = OwnerRole(of: path) } } }

    /// Does something as who owns that path, who may be another than the folders' owner.
    static func asOwner<Value, Failure>(
        of path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        held.withLock { $0?.pause() }
        defer { held.withLock { $0?.resume() } }
        return try OwnerRole.of(path, body)
    }

    /// Does something as root in between, where the operator has said where it goes.
    static func asRoot<Value>(_ body: () throws -> Value) rethrows -> Value {
        held.withLock { $0?.pause() }
        defer { held.withLock { $0?.resume() } }
        return try body()
    }
}
