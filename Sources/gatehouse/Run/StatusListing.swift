import Console
import Credentials
import Encoding
import Foundation
import Kiosk
import Observation
import Reasons
import Settings

/// The output of `gatehouse status` for a person: first the faults, then the parts of the gate in the order in which a
/// visit uses them.
///
/// The listing omits every value that the status report lacks, because service and program may have different versions.
enum StatusListing {
    static func lines(_ status: StatusReport, of places: SetupPlaces) -> [String] {
        [headline(status), ""] + faults(status, places) + sticker(status.sticker ?? nil) + parts(status)
    }

    private static func headline(_ status: StatusReport) -> String {
        let name = text(status.name) ?? "gatehouse"
        let state =
            switch status.state {
            case .fine: Terminal.styled("\(name): in order", .bold, .green)
            case .fault: Terminal.styled("\(name): out of order", .bold, .red)
            case .attention, nil: Terminal.styled("\(name): needs attention", .bold, .amber)
            }
        // Show the door's mode even without a fault: the gate may be locked down, or open for free passage.
        return state + (mode(status.door, at: status.observed).map { Terminal.styled(", " + $0, .bold, .amber) } ?? "")
    }

    /// Returns a text about the mode that replaces normal service, with its cause and its beginning; nil in normal
    /// service.
    private static func mode(_ door: StatusReport.Door?, at now: Timestamp? = nil) -> String? {
        let words = DoorWords(door)
        return words.mode(words.since(now: now, zone: 0).map { $0 + " UTC" })
    }

    // MARK: - Faults

    private static func faults(_ status: StatusReport, _ places: SetupPlaces) -> [String] {
        let silent = (status.silent ?? []).flatMap { part in
            let isRadio = part == StatusReport.name(of: \.radio)
            let words = (isRadio ? "the radio's thread" : Terminal.printable(part.string)) + " does not answer"
            return [
                Terminal.styled(words, .red),
                "  → "
                    + places.told("The watchdog restarts the service, or run: systemctl restart gatehouse"),
                "",
            ]
        }
        return silent + (status.faults ?? []).flatMap { fault($0, places) }
    }

    private static func fault(_ fault: StatusReport.Fault, _ places: SetupPlaces) -> [String] {
        let count = fault.count ?? 0
        let since = fault.seconds.map { "for \(Words.duration($0))" } ?? ""
        let times = count > 1 ? ", \(count) so far" : ""
        let colour: Terminal.Style = fault.severity == .error ? .red : .amber
        var lines = [Terminal.styled(text(fault.code) ?? "?", .bold, colour) + "  \(since)\(times)"]
        for case let words? in [text(fault.meaning), text(fault.detail)] {
            lines += Terminal.folded("  " + places.told(words), hanging: 2)
        }
        if let remedy = text(fault.remedy) { lines += Terminal.folded("  → " + places.told(remedy), hanging: 4) }
        return lines + [""]
    }

    /// Returns lines about the printed code while its key is in force, as a reminder for the operator.
    private static func sticker(_ sticker: StatusReport.Sticker?) -> [String] {
        guard let until = text(sticker?.until), let warning = text(sticker?.warning) else { return [] }
        return [Terminal.styled("a printed code is in force until \(until)", .bold, .amber)]
            + Terminal.folded("  It \(warning).", hanging: 2) + [""]
    }

    // MARK: - Parts

    private static func connected(_ phones: Int) -> String? {
        switch phones {
        case 0: nil
        case 1: "a phone is connected"
        default: "\(phones) phones are connected"
        }
    }

    private static func parts(_ status: StatusReport) -> [String] {
        let rows: [(String, [String?])] = [
            ("radio", radio(status.radio)),
            ("light", [status.light?.rawValue, (status.radio?.phones).flatMap(connected)]),
            ("gate", [gate(status.gate)]),
            ("door", door(status.door)), ("ledger", ledger(status)), ("clock", clock(status.clock)),
            ("trust", trust(status.trust)), ("policy", [text(status.trust?.policy), text(status.trust?.policyOrigin)]),
            ("ends", ends(status.expiry)), ("agent", agents(status.agents)), ("visits", visits(status.visits)),
            ("log", [some(status.log?.dropped, "lines dropped")]),
            (
                "running",
                [
                    status.uptime.map { "for \(Words.duration($0))" }, status.start.map { "start \($0)" },
                    text(status.version).map { "version \($0)" },
                ]
            ),
        ]
        return rows.compactMap { name, words in
            let words = words.compactMap { $0 }
            guard !words.isEmpty else { return nil }
            return name.padding(toLength: 9, withPad: " ", startingAt: 0) + words.joined(separator: ", ")
        }
    }

    private static func gate(_ gate: StatusReport.Gate??) -> String? {
        guard let gate else { return nil }
        guard let gate else { return "this box has no output that opens the gate" }
        return gate.isOpen.map { $0 ? "open" : "shut" }
    }

    private static func radio(_ radio: StatusReport.Radio?) -> [String?] {
        [
            radio?.state?.rawValue, text(radio?.controller), some(radio?.failures, "failures"),
            some(radio?.advertisingLapses, "unexpected advertising stops"),
            some(radio?.linkResets, "resets: links held by silent phones"),
            some(radio?.bufferResets, "resets: buffers held by phones"),
            some(radio?.ignoredPackets, "packets ignored"), some(radio?.droppedPDUs, "broken PDUs"),
            some(radio?.spoiledChunks, "damaged chunks"), some(radio?.repairs, "repair rounds"),
        ]
    }

    /// Returns texts about the door's mode, inputs and events; no texts for a gate that has only a relay.
    static func door(_ door: StatusReport.Door?) -> [String?] {
        let inputs = DoorInput.allCases.compactMap { input in (door?.inputs?[input]).map { words(input, $0) } }
        return [mode(door)] + inputs + [
            some(door?.passages, "passages"), some(door?.unused, "openings without passage"),
            some(door?.requests, "requests to exit"), some(door?.refusedRequests, "requests refused"),
            some(door?.tailgating, "tailgating detected"), some(door?.forced, "times forced"),
            some(door?.heldOpen, "times held open"),
        ]
    }

    private static func words(_ input: DoorInput, _ level: Bool?) -> String? {
        guard let level else { return "\(input.rawValue) unknown" }
        return switch input {
        case .contact: level ? "open" : "closed"
        case .tamper: level ? "tampered with" : nil
        case .fire: level ? "fire" : nil
        case .passage, .request: nil
        }
    }

    private static func ledger(_ status: StatusReport) -> [String?] {
        [
            status.ledger?.visits.map { $0 == 1 ? "1 visit" : "\($0) visits" }, some(status.ledger?.open, "under way"),
            some(status.refusedIntents, "records refused"),
        ]
    }

    private static func clock(_ clock: StatusReport.Clock?) -> [String?] {
        let source: String? =
            switch clock?.source {
            case .synchronised: "by a time server"
            case .rtc: "by a battery clock"
            case .saved: "from the ledger only"
            case let source?: "source \(source.rawValue)"
            case nil: nil
            }
        return [
            clock?.utc?.rfc3339, source,
            clock?.unsynchronised.flatMap { $0 > 0 ? "without a time server for \(Words.duration($0))" : nil },
        ]
    }

    private static func trust(_ trust: StatusReport.Trust?) -> [String?] {
        [
            text(trust?.version), trust?.issuers.map { "\($0) issuer\($0 == 1 ? "" : "s")" },
            trust?.age.flatMap { $0 == .fresh ? nil : $0.rawValue },
            trust?.oldest.map { "oldest part of \($0.rfc3339)" },
        ]
    }

    /// Returns a text about the next expiry (of trust data, for example) for which the gate has not warned yet.
    private static func ends(_ expiry: StatusReport.Expiries?) -> [String?] {
        if expiry?.isDated == false { return ["unknown: the date is not trusted"] }
        guard let next = expiry?.next, let words = text(next.words), let end = next.end else { return [] }
        return ["next: \(words) on \(end.rfc3339.prefix(10))"]
    }

    private static func agents(_ agents: [StatusReport.Destination]?) -> [String?] {
        guard let agents else { return [] }
        if agents.isEmpty { return ["none"] }
        return agents.flatMap { agent -> [String?] in
            let name = text(agent.name).map { $0 == "primary" ? "" : "\($0): " } ?? ""
            guard let isConnected = agent.isConnected else {
                return ["\(name)connections not loaded", some(agent.waiting, "records wait")]
            }
            guard isConnected else { return ["\(name)none is connected"] }
            return ["\(name)confirmed up to position \(agent.confirmed ?? 0)", some(agent.waiting, "records wait")]
        }
    }

    private static func visits(_ visits: [Text: Int]?) -> [String?] {
        guard let visits else { return [] }
        if visits.isEmpty { return ["none since the start"] }
        return visits.sorted { $0.key < $1.key }.map { "\($0.value) \(Terminal.printable($0.key.string))" }
    }

    // MARK: - Texts of values

    private static func text(_ value: Text?) -> String? { text(value?.string) }
    private static func text(_ value: String?) -> String? { value.map(Terminal.printable) }

    private static func some(_ count: Int?, _ words: String) -> String? {
        count.flatMap { $0 > 0 ? "\($0) \(words)" : nil }
    }
}
