import Administration
package import Clocks
import Credentials
package import Encoding
import GateService
package import Kiosk

/// Gathers the report of `gatehouse status`.
///
/// The kiosk and all parts are queried concurrently, each with the same time limit. A part that does not
/// answer is named in the report and does not hold up the others.
package struct StatusDesk: Sendable {
    /// The identity of the service.
    package struct Identity: Sendable {
        /// The name in the advertisements.
        package var name: String
        /// The program's version.
        package var version: String
        /// How often the service was started on this database.
        package var start: Int
        /// The time of the start.
        package var since: Instant
        /// The ``Configuration/digest`` of the configuration that the service was started with.
        package var configuration: String
        /// Whether the gate can open a passage: by a relay, or by wires to a gate controller.
        package var opens: Bool

        /// Creates an identity from the values of its properties.
        package init(name: String, version: String, start: Int, since: Instant, configuration: String = "", opens: Bool)
        {
            (self.name, self.version, self.start, self.since) = (name, version, start, since)
            (self.configuration, self.opens) = (configuration, opens)
        }
    }

    private let identity: Identity
    private let limit: Duration
    private let now: @Sendable () async -> (instant: Instant, utc: Timestamp)
    private let kiosk: TimedQuestion<KioskStatus>
    private let parts: [(name: Text, question: TimedQuestion<JSON>)]

    /// Creates a desk that queries the kiosk and the other parts of the service.
    ///
    /// - Parameters:
    ///   - identity: The identity of the service.
    ///   - clock: Measures the limit.
    ///   - spawner: Starts the queries.
    ///   - kiosk: The kiosk's own status.
    ///   - parts: The other parts, each with the name of its member in the report; each returns a JSON
    ///     object.
    ///   - limit: How long each of them may take.
    ///   - now: The time on the monotonic clock, and the date at that time.
    package init(
        _ identity: Identity, clock: Clock, spawner: Spawner, kiosk: @escaping @Sendable () async -> KioskStatus,
        parts: [(name: Text, tell: @Sendable () async -> JSON)], within limit: Duration = ControlDesk.partLimit,
        now: @escaping @Sendable () async -> (instant: Instant, utc: Timestamp)
    ) {
        (self.identity, self.limit) = (identity, limit)
        self.kiosk = TimedQuestion(by: clock, spawner, kiosk)
        self.parts = parts.map { ($0.name, TimedQuestion(by: clock, spawner, $0.tell)) }
        self.now = now
    }

    /// Returns the whole report as one JSON object.
    package func report() async -> JSON {
        async let asked = kiosk.answer(within: limit)
        let told = await withTaskGroup(of: (Int, JSON?).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, await part.question.answer(within: limit)) }
            }
            return await group.reduce(into: [Int: JSON]()) { $0[$1.0] = $1.1 }
        }
        let status = await asked
        let silent = parts.indices.filter { told[$0] == nil }.map { parts[$0].name }

        let now = await now()
        let light = status?.health.light ?? .fault
        let state = light == .ready && !silent.isEmpty ? IndicatorPattern.attention : light
        var report: JSONObject = [
            "state": .text(state == .ready ? "fine" : state.rawValue), "name": .text(identity.name),
            "version": .text(identity.version), "start": .int(identity.start),
            "configuration": .text(identity.configuration),
            "uptimeSeconds": .int(Self.seconds(from: identity.since, to: now.instant)),
            "observed": .text(Timestamp(seconds: now.utc.seconds).rfc3339),
            "silent": .array((status == nil ? [.text("radio")] : []) + silent.map(JSON.string)),
            "faults": .array(
                status?.health.faults.map { Self.json($0.code, $0.since, $0.count, $0.detail, now) }
                    ?? [Self.json(.stuck, now.instant, 1, "the radio's thread does not answer", now)]),
        ]
        if let status { add(status, at: now, to: &report) }
        for (index, part) in parts.enumerated() {
            if let answer = told[index] { _ = report.appendIfNew(.init(part.name, answer)) }
        }
        return .object(report)
    }

    private static func json(
        _ code: ReasonCode, _ since: Instant, _ count: Int, _ detail: String?,
        _ now: (instant: Instant, utc: Timestamp)
    ) -> JSON {
        let age = max(.zero, since.duration(to: now.instant))
        var members: JSONObject = [
            "code": .text(code.text), "severity": .text(code.severity.rawValue),
            "since": .text(Timestamp(seconds: now.utc.advanced(by: .zero - age).seconds).rfc3339),
            "seconds": .int(Int(age.components.seconds)), "count": .int(count),
            "meaning": .text(code.meaning), "remedy": .text(code.remedy),
        ]
        if let detail { _ = members.appendIfNew(.init("detail", .text(detail))) }
        return .object(members)
    }

    private func add(
        _ status: KioskStatus, at now: (instant: Instant, utc: Timestamp), to report: inout JSONObject
    ) {
        let counters = status.counters
        var radio: JSONObject = [
            "state": .text(status.radio.rawValue), "openings": .int(counters.radioOpenings),
            "failures": .int(counters.radioFailures), "adapterResets": .int(counters.adapterResets),
            "advertisingLapses": .int(counters.advertisingLapses),
            "linkResets": .int(counters.linkResets), "bufferResets": .int(counters.bufferResets),
            "ignoredPackets": .int(counters.ignoredPackets), "droppedPDUs": .int(counters.droppedPDUs),
            "phones": .int(status.phones), "refusedPhones": .int(counters.refusedPhones),
            "spoiledChunks": .int(counters.spoiledChunks), "repairs": .int(counters.repairs),
        ]
        if let controller = status.controller { _ = radio.appendIfNew(.init("controller", .text(controller))) }
        let visits = counters.visits.sorted { $0.key < $1.key }.map { JSONObject.Member(Text($0.key), .int($0.value)) }
        for (name, value) in [
            ("radio", JSON.object(radio)), ("light", .text(status.light.rawValue)),
            ("gate", identity.opens ? ["open": .bool(status.isGateOpen)] : .null),
            ("visits", .object(JSONObject(visits))),
            ("reasons", Self.reasons(counters)), ("figures", Self.figures(counters)),
            ("refusedIntents", .int(counters.ledgerFailures)), ("door", DoorDesk.json(status.door, at: now)),
        ] {
            _ = report.appendIfNew(.init(Text(name), value))
        }
    }

    /// Visits by result and code.
    private static func reasons(_ counters: Kiosk.Counters) -> JSON {
        let results = Dictionary(grouping: counters.endings) { $0.key.result }.sorted { $0.key < $1.key }
        return .object(
            JSONObject(
                results.map { result, endings in
                    let codes = endings.map { ($0.key.reason.text, $0.value) }.sorted { $0.0 < $1.0 }
                    return .init(Text(result), .object(JSONObject(codes.map { .init(Text($0), .int($1)) })))
                }))
    }

    /// How long steps took, and how large transfers were.
    private static func figures(_ counters: Kiosk.Counters) -> JSON {
        func json(_ figure: Histogram) -> JSON {
            [
                "bounds": .array(figure.bounds.map(JSON.int)), "counts": .array(figure.counts.map(JSON.int)),
                "sum": .int(figure.sum),
            ]
        }
        return [
            "transferMs": json(counters.transfer), "transferBytes": json(counters.bytes),
            "identifiedMs": json(counters.identified), "decisionUs": json(counters.decision),
            "turnUs": json(counters.turn),
        ]
    }

    private static func seconds(from start: Instant, to end: Instant) -> Int {
        Int(max(.zero, start.duration(to: end)).components.seconds)
    }
}
