import Encoding
import Foundation
import TestKit

/// The radio and the phones: `Tests/Peers/wallet/air.py`, a third-party Bluetooth stack with an independently
/// written wallet.
final class Air: Sendable {
    /// The actions of a phone; see air.py.
    struct Visit {
        var uri: String
        var payload: String
        var manner = "android"
        /// The ATT MTU that the phone requests; nil: the usual MTU of such phones.
        var mtu: Int?
        var settle = 0.5
        /// Whether the person continues choosing a credential until ``Air/choose(_:)`` is called.
        var choosesSlowly = false
        /// Otherwise: the time in seconds until the person has chosen.
        var choosing = 0.0
        var lose: [Int] = []
        /// The event at which the phone leaves: `identified`, `sent`.
        var leave: String?
    }

    /// What a phone observed, once its visit has ended.
    struct Result: Sendable {
        /// `accepted`, `rejected`, `disconnected`, …
        let outcome: Text?
        /// Every status byte that the phone received.
        let status: [Int]
        /// The kiosk's address on the air, and the keys.
        let kioskAddress: Text?
        let kioskKey: Text?
        let phoneAddress: Text?
        let walletKey: Text?
        /// The chunk numbers of each transfer report.
        let reports: [[Int]]
        let lines: [JSON]
    }

    let journal: Journal
    /// The port of the kiosk's controller on 127.0.0.1.
    let port: Int
    private let child: Child

    /// The command prefix for a program that is to share the air's network: empty, unless rootcanal has a
    /// network of its own.
    var networkPrefix: [String] {
        isApart ? ["nsenter", "--target", "\(child.id)", "--user", "--net", "--preserve-credentials"] : []
    }

    private let isApart: Bool

    /// Starts the air with Bumble's controllers or, given the program, with rootcanal's in a network of its
    /// own.
    init(_ place: Workplace, rootcanal: String? = nil) async throws {
        let python = try Workplace.requiredEnvironment("wallet", "bin/python")
        let script = Workplace.peers.appendingPathComponent("wallet/air.py").path
        isApart = rootcanal != nil
        // -B: writes no bytecode files into the checkout.
        let words =
            (isApart ? ["unshare", "--map-root-user", "--net"] : []) + [python, "-B", script]
            + (rootcanal.map { ["--rootcanal", $0] } ?? [])
        child = try Child(words[0], Array(words.dropFirst()), output: place.path("air.jsonl"))
        journal = Journal(place.path("air.jsonl"))
        port = try await journal.wait("listening").line["port"]?.int ?? 0
    }

    /// Starts a phone's visit; its lines in the journal carry this `id`.
    func send(_ visit: Visit, id: String) throws {
        var order: JSONObject = [
            "id": .text(id), "uri": .text(visit.uri), "payload": .text(visit.payload), "manner": .text(visit.manner),
            "settle": .number(JSONNumber(validated: "\(visit.settle)")),
            "choose": .number(JSONNumber(validated: visit.choosesSlowly ? "-1" : "\(visit.choosing)")),
            "lose": .array(visit.lose.map(JSON.int)),
        ]
        if let mtu = visit.mtu { order["mtu"] = .int(mtu) }
        if let stage = visit.leave { order["leave"] = .text(stage) }
        try child.send(JSON.object(["visit": .object(order)]).compactText)
    }

    /// Reports that the person with the phone `id` has chosen.
    func choose(_ id: String) throws { try child.send(JSON.object(["chosen": .text(id)]).compactText) }

    /// Waits until the phone `id` reports `event`.
    func wait(_ event: Text, of id: String, within limit: Duration = .seconds(20)) async throws {
        try await journal.wait(within: limit, for: "\(event) of visit \(id)") {
            $0["visit"]?.string == Text(id) && $0["event"]?.string == event
        }
    }

    /// Waits for the end of the visit.
    func result(of id: String) async throws -> Result {
        try await wait("ended", of: id, within: .seconds(30))
        return seen(by: id)
    }

    /// Returns what the phone has observed so far.
    func seen(by id: String) -> Result {
        let lines = journal.lines.filter { $0["visit"]?.string == Text(id) }
        func event(_ name: Text) -> [JSON] { lines.filter { $0["event"]?.string == name } }
        return Result(
            outcome: event("ended").last?["outcome"]?.string, status: event("verdict").compactMap { $0["status"]?.int },
            kioskAddress: event("seen").first?["address"]?.string, kioskKey: event("seen").first?["key"]?.string,
            phoneAddress: event("ended").last?["phone"]?.string, walletKey: event("ended").last?["walletKey"]?.string,
            reports: event("report").map { ($0["missing"]?.array ?? []).compactMap(\.int) }, lines: lines)
    }

    /// Starts a phone's visit and waits for its end.
    func visit(_ visit: Visit, id: String) async throws -> Result {
        try send(visit, id: id)
        return try await result(of: id)
    }

    func stop() async throws {
        child.closeInput()
        _ = try await child.wait(within: .seconds(30))
    }
}
