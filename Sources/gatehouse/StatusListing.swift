import Encoding
import Foundation
import Observation
import Settings

/// The output of `gatehouse status` for a person: faults first, then the parts in the order of a visit.
///
/// The listing is made from the service's answer. It uses only the members that exist, because service and
/// program may have different versions.
enum StatusListing {
    static func lines(_ status: JSON, of places: SetupPlaces) -> [String] {
        [headline(status), ""] + faults(status, places) + sticker(status["sticker"]) + parts(status)
    }

    private static func headline(_ status: JSON) -> String {
        let name = text(status["name"]) ?? "gatehouse"
        let state =
            switch status["state"]?.string {
            case "fine": Terminal.styled("\(name): in order", .bold, .green)
            case "fault": Terminal.styled("\(name): out of order", .bold, .red)
            default: Terminal.styled("\(name): needs attention", .bold, .amber)
            }
        let now = status["observed"]?.string.flatMap { Timestamp(rfc3339: $0.string) }
        // A gate without faults may still admit nobody, or everybody.
        return state + (mode(status["door"], at: now).map { Terminal.styled(", " + $0, .bold, .amber) } ?? "")
    }

    /// Returns the mode that replaces normal service, its cause and its beginning; nil in normal service.
    private static func mode(_ door: JSON?, at now: Timestamp? = nil) -> String? {
        let words = DoorWords(door)
        return words.mode(words.since(now: now, zone: 0).map { $0 + " UTC" })
    }

    // MARK: - Faults

    private static func faults(_ status: JSON, _ places: SetupPlaces) -> [String] {
        let silent = (status["silent"]?.array ?? []).compactMap { text($0) }.flatMap { part in
            let words = part == "radio" ? "the radio's thread does not answer" : "\(part) does not answer"
            return [
                Terminal.styled(words, .red),
                "  → "
                    + places.told("The watchdog restarts the service, or run: systemctl restart gatehouse"),
                "",
            ]
        }
        return silent + (status["faults"]?.array ?? []).flatMap { fault($0, places) }
    }

    private static func fault(_ fault: JSON, _ places: SetupPlaces) -> [String] {
        let count = fault["count"]?.int ?? 0
        let since = fault["seconds"]?.int.map { "for \(Words.duration($0))" } ?? ""
        let times = count > 1 ? ", \(count) so far" : ""
        let colour: Terminal.Style = fault["severity"]?.string == "error" ? .red : .amber
        var lines = [Terminal.styled(text(fault["code"]) ?? "?", .bold, colour) + "  \(since)\(times)"]
        for member in ["meaning", "detail"] {
            if let words = text(fault[Text(member)]) { lines += Terminal.folded("  " + places.told(words), hanging: 2) }
        }
        if let remedy = text(fault["remedy"]) { lines += Terminal.folded("  → " + places.told(remedy), hanging: 4) }
        return lines + [""]
    }

    /// Returns lines about the printed code, as a reminder that a printed key is in force.
    private static func sticker(_ sticker: JSON?) -> [String] {
        guard let until = text(sticker?["until"]), let warning = text(sticker?["warning"]) else { return [] }
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

    private static func parts(_ status: JSON) -> [String] {
        let rows: [(String, [String?])] = [
            ("radio", radio(status["radio"])),
            ("light", [text(status["light"]), (status["radio"]?["phones"]?.int).flatMap(connected)]),
            ("gate", [gate(status["gate"])]),
            ("door", door(status["door"])), ("ledger", ledger(status)), ("clock", clock(status["clock"])),
            ("trust", trust(status["trust"])), ("policy", policy(status["trust"])), ("ends", ends(status["expiry"])),
            ("agent", agent(status)),
            ("visits", visits(status["visits"])),
            ("log", [status["log"]?["dropped"]?.int.flatMap { $0 > 0 ? "\($0) lines dropped" : nil }]),
            (
                "running",
                [
                    status["uptimeSeconds"]?.int.map { "for \(Words.duration($0))" },
                    status["start"]?.int.map { "start \($0)" }, text(status["version"]).map { "version \($0)" },
                ]
            ),
        ]
        return rows.compactMap { name, words in
            let words = words.compactMap { $0 }
            guard !words.isEmpty else { return nil }
            return name.padding(toLength: 9, withPad: " ", startingAt: 0) + words.joined(separator: ", ")
        }
    }

    private static func gate(_ gate: JSON?) -> String? {
        gate == .null ? "this box has no output that opens the gate" : gate?["open"]?.bool.map { $0 ? "open" : "shut" }
    }

    private static func radio(_ radio: JSON?) -> [String?] {
        [
            text(radio?["state"]), text(radio?["controller"]), some(radio?["failures"], "failures"),
            some(radio?["advertisingLapses"], "unexpected advertising stops"),
            some(radio?["linkResets"], "resets: links held by silent phones"),
            some(radio?["bufferResets"], "resets: buffers held by phones"),
            some(radio?["ignoredPackets"], "packets ignored"), some(radio?["droppedPDUs"], "broken PDUs"),
            some(radio?["spoiledChunks"], "damaged chunks"), some(radio?["repairs"], "repair rounds"),
        ]
    }

    /// Returns lines about the door's mode, its inputs and its events; no lines for a gate with only a relay.
    static func door(_ door: JSON?) -> [String?] {
        let words: [Text: (on: String, off: String?)] = [
            "contact": ("open", "closed"), "tamper": ("tampered with", nil), "fire": ("fire", nil),
        ]
        let inputs = (door?["inputs"]?.object?.members ?? []).map { input -> String? in
            guard let level = input.value.bool else { return "\(Terminal.printable(input.name.string)) unknown" }
            return level ? words[input.name]?.on : words[input.name]?.off
        }
        return [mode(door)] + inputs + [
            some(door?["passages"], "passages"), some(door?["unused"], "openings without passage"),
            some(door?["requests"], "requests to exit"), some(door?["refusedRequests"], "requests refused"),
            some(door?["tailgating"], "tailgating detected"), some(door?["forced"], "times forced"),
            some(door?["heldOpen"], "times held open"),
        ]
    }

    private static func ledger(_ status: JSON) -> [String?] {
        let ledger = status["ledger"]
        return [
            ledger?["visits"]?.int.map { $0 == 1 ? "1 visit" : "\($0) visits" }, some(ledger?["open"], "under way"),
            some(status["refusedIntents"], "records refused"),
        ]
    }

    private static func clock(_ clock: JSON?) -> [String?] {
        let sources = [
            "synchronised": "by a time server", "rtc": "by a battery clock", "saved": "from the ledger only",
        ]
        return [
            text(clock?["utc"]), text(clock?["source"]).map { sources[$0] ?? "source \($0)" },
            clock?["unsynchronisedSeconds"]?.int
                .flatMap { $0 > 0 ? "without a time server for \(Words.duration($0))" : nil },
        ]
    }

    private static func trust(_ trust: JSON?) -> [String?] {
        [
            text(trust?["version"]), trust?["issuers"]?.int.map { "\($0) issuer\($0 == 1 ? "" : "s")" },
            text(trust?["age"]).flatMap { $0 == "fresh" ? nil : $0 },
            text(trust?["oldest"]).map { "oldest part of \($0)" },
        ]
    }

    /// Returns the rules in force, and their origin.
    private static func policy(_ trust: JSON?) -> [String?] { [text(trust?["policy"]), text(trust?["policyOrigin"])] }

    /// Returns the next expiry that has no warning yet.
    private static func ends(_ expiry: JSON?) -> [String?] {
        guard let expiry else { return [] }
        if expiry["dated"] == false { return ["unknown: the date is not trusted"] }
        guard let next = expiry["next"], let words = text(next["text"]), let end = text(next["end"]) else { return [] }
        return ["next: \(words) on \(end.prefix(10))"]
    }

    private static func agent(_ status: JSON) -> [String?] {
        guard let agents = status["agent"]?.array else { return [] }
        if agents.isEmpty { return ["none"] }
        return agents.flatMap { agent -> [String?] in
            let name = text(agent["name"]).map { $0 == "primary" ? "" : "\($0): " } ?? ""
            guard agent["connected"] == true else { return ["\(name)none is connected"] }
            return [
                "\(name)confirmed up to record \(agent["confirmed"]?.int ?? 0)", some(agent["waiting"], "records wait"),
            ]
        }
    }

    private static func visits(_ visits: JSON?) -> [String?] {
        guard let members = visits?.object?.members else { return [] }
        if members.isEmpty { return ["none since the start"] }
        return members.map { "\($0.value.int ?? 0) \(Terminal.printable($0.name.string))" }
    }

    // MARK: - Words

    private static func text(_ value: JSON?) -> String? { value?.string.map { Terminal.printable($0.string) } }

    private static func some(_ value: JSON?, _ words: String) -> String? {
        value?.int.flatMap { $0 > 0 ? "\($0) \(words)" : nil }
    }
}
