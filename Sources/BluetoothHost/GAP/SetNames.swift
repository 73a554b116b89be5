import Encoding

/// Connections that wait for the event that names their advertising set. That event follows the event of the connection
/// (Core Specification Vol 4 Part E 7.7.65.18).
///
/// The host does not guess the set: with the key of another advertisement, a visit would fail without a visible reason.
struct SetNames: Sendable {
    private let limits: Limits
    private var waiting: [(connection: Connection, until: Instant)] = []
    /// The number of consecutive connections whose advertising set remained unknown.
    private var unnamed = 0

    init(limits: Limits) {
        self.limits = limits
    }

    /// The time at which the wait of the first connection ends; nil without waiting connections.
    var deadline: Instant? { waiting.map(\.until).min() }

    /// Whether the host assumes that the controller never reports the advertising set of a connection, because too
    /// many consecutive connections remained without this report.
    var isHopeless: Bool { unnamed >= limits.unnamedConnections }

    /// The waiting connections.
    var held: [Connection] { waiting.map(\.connection) }

    /// Whether the connection `handle` is waiting.
    func holds(_ handle: ConnectionHandle) -> Bool { waiting.contains { $0.connection.handle == handle } }

    /// Adds a new connection. Returns false if there is no room.
    mutating func hold(_ connection: Connection, at now: Instant) -> Bool {
        forget(connection.handle)
        guard waiting.count < limits.connections else { return false }
        waiting.append((connection, now.advanced(by: limits.setNamingTime)))
        return true
    }

    /// Removes and returns a connection whose advertising set is known; nil if the connection was not waiting.
    mutating func named(_ handle: ConnectionHandle) -> Connection? {
        guard let index = waiting.firstIndex(where: { $0.connection.handle == handle }) else { return nil }
        unnamed = 0
        return waiting.remove(at: index).connection
    }

    /// Removes and returns the connections that have waited long enough.
    mutating func expire(at now: Instant) -> [Connection] {
        let late = waiting.filter { $0.until <= now }.map(\.connection)
        waiting.removeAll { $0.until <= now }
        unnamed += late.count
        return late
    }

    /// Drops a connection that has ended.
    mutating func forget(_ handle: ConnectionHandle) {
        waiting.removeAll { $0.connection.handle == handle }
    }
}
