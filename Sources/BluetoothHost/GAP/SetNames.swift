import Encoding

/// Connections that have come about, and wait for the word which advertising set they belong to: that event follows their own
/// (Core Specification Vol 4 Part E 7.7.65.18).
///
/// With the key of another advertisement a phone would be lost without a reason that anybody could see, so none is guessed.
struct SetNames: Sendable {
    private let limits: Limits
    private var waiting: [(connection: Connection, until: Instant)] = []
    /// Connections in a row whose set remained unknown.
    private var unnamed = 0

    init(limits: Limits) {
        self.limits = limits
    }

    /// When a connection has waited long enough.
    var deadline: Instant? { waiting.map(\.until).min() }

    /// Whether a controller that says it has sets does not tell of them.
    var isHopeless: Bool { unnamed >= limits.unnamedConnections }

    /// The connections that are held back.
    var held: [Connection] { waiting.map(\.connection) }

    /// Whether that connection is held back.
    func holds(_ handle: ConnectionHandle) -> Bool { waiting.contains { $0.connection.handle == handle } }

    /// Holds back a connection that has come about; false: there is no room.
    mutating func hold(_ connection: Connection, at now: Instant) -> Bool {
        forget(connection.handle)
        guard waiting.count < limits.connections else { return false }
        waiting.append((connection, now.advanced(by: limits.setNamingTime)))
        return true
    }

    /// The set of that connection is known: returns it, if it was held back.
    mutating func named(_ handle: ConnectionHandle) -> Connection? {
        guard let index = waiting.firstIndex(where: { $0.connection.handle == handle }) else { return nil }
        unnamed = 0
        return waiting.remove(at: index).connection
    }

    /// Gives up the connections that have waited long enough, and returns them.
    mutating func expire(at now: Instant) -> [Connection] {
        let late = waiting.filter { $0.until <= now }.map(\.connection)
        waiting.removeAll { $0.until <= now }
        unnamed += late.count
        return late
    }

    /// A connection has ended.
    mutating func forget(_ handle: ConnectionHandle) {
        waiting.removeAll { $0.connection.handle == handle }
    }
}
