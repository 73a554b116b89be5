package import Encoding
package import Kiosk

/// The status of the gate and of its services, as `gatehouse status` prints it.
///
/// The report has one writer, ``StatusObject/json``, and one reader, ``StatusObject/init(_:)``. All other code, such
/// as the metrics and the status page, uses the properties. If a part of the gate does not answer, its member is nil,
/// and ``silent`` contains its name.
package struct StatusReport: StatusObject {
    /// The state of the gate as a whole.
    package enum State: String, CaseIterable, Sendable {
        /// No fault is in force.
        case fine
        /// The gate works, but a fault needs attention.
        case attention
        /// The gate does not work.
        case fault
    }

    /// The state of the gate as a whole.
    package var state: State?
    /// The name of the gate in its advertisements.
    package var name: Text?
    /// The version of the service.
    package var version: Text?
    /// The number of starts of the service with this database.
    package var start: Int?
    /// The hash of the configuration with which the service was started.
    package var configuration: Text?
    /// The time since the start of the service in seconds.
    package var uptime: Int?
    /// The date of the report.
    package var observed: Timestamp?
    /// The names of the parts of the report whose source did not answer in time.
    package var silent: [Text]?
    /// The faults in force, the most severe first.
    package var faults: [Fault]?
    /// The radio.
    package var radio: Radio?
    /// The pattern that the light shows.
    package var light: IndicatorPattern?
    /// The relay. The inner nil: the gate has neither a relay nor wires to a gate controller.
    package var gate: Gate??
    /// The number of visits by result.
    package var visits: [Text: Int]?
    /// The number of visits by result and reason code.
    package var reasons: [Text: [Text: Int]]?
    /// The histograms of durations and sizes.
    package var figures: Figures?
    /// The number of intents, and of sessions of a printed key, that were not stored.
    package var refusedIntents: Int?
    /// The door.
    package var door: Door?
    /// The ledger.
    package var ledger: Ledger?
    /// The disk of the ledger. The inner nil: the disk cannot be read.
    package var disk: Disk??
    /// The date of the gate.
    package var clock: Clock?
    /// The trust data and the rules.
    package var trust: Trust?
    /// The destinations.
    package var agents: [Destination]?
    /// The expiry dates.
    package var expiry: Expiries?
    /// The printed code. The inner nil: no printed code is in force.
    package var sticker: Sticker??
    /// The log.
    package var log: Log?

    /// Creates a report in which all members are nil.
    package init() {}

    /// The members, in the order in which they are written as JSON.
    package static let members: [StatusMember<StatusReport>] = [
        .init("state", \.state, .word), .init("name", \.name, .text), .init("version", \.version, .text),
        .init("start", \.start, .int), .init("configuration", \.configuration, .text),
        .init("uptimeSeconds", \.uptime, .int), .init("observed", \.observed, .date),
        .init("silent", \.silent, .list(.text)), .init("faults", \.faults, .list(.part)),
        .init("radio", \.radio, .part), .init("light", \.light, .word), .init("gate", \.gate, .orNull(.part)),
        .init("visits", \.visits, .table(.int)), .init("reasons", \.reasons, .table(.table(.int))),
        .init("figures", \.figures, .part), .init("refusedIntents", \.refusedIntents, .int),
        .init("door", \.door, .part), .init("ledger", \.ledger, .part), .init("disk", \.disk, .orNull(.part)),
        .init("clock", \.clock, .part), .init("trust", \.trust, .part), .init("agent", \.agents, .list(.part)),
        .init("expiry", \.expiry, .part), .init("sticker", \.sticker, .orNull(.part)), .init("log", \.log, .part),
    ]
}

extension StatusReport {
    /// The names in the report that identify this gate, its agents and the items that expire.
    package var names: [Text] {
        let expiring = (expiry?.warnings ?? []) + [expiry?.next].compactMap(\.self)
        return ([name, ledger?.id] + (agents ?? []).map(\.name) + expiring.map(\.name)).compactMap(\.self)
    }
}
