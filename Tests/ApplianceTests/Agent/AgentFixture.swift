import Aries
import Clocks
import DIDComm
import Encoding
import Features
import Foundation
import HTTPTransport
import Ledger
import Settings
import Simulation
import Store
import Testing

@testable import Courier

/// The notices of links, mailboxes and destinations, each kind in its order.
final class AgentNotices: @unchecked Sendable {
    private let lock = NSLock()
    private var links: [AgentNotice] = []
    private var mail: [MailboxNotice] = []
    private var beside: [DestinationNotice] = []

    func add(_ notice: AgentNotice) { lock.withLock { links.append(notice) } }
    func add(_ notice: MailboxNotice) { lock.withLock { mail.append(notice) } }
    func add(_ notice: DestinationNotice) { lock.withLock { beside.append(notice) } }

    var ofLinks: [AgentNotice] { lock.withLock { links } }
    var ofMailboxes: [MailboxNotice] { lock.withLock { mail } }
    var ofDestinations: [DestinationNotice] { lock.withLock { beside } }

    /// The number of messages from the agent.
    var messages: Int { ofLinks.count { if case .message = $0 { true } else { false } } }
    var denials: Int { ofLinks.count { if case .mailboxDenied = $0 { true } else { false } } }
    var hasEnded: Bool { ofLinks.contains(.ended) }
    /// The port at which the kiosk last reported to listen for an agency's wake-ups.
    var port: Int? {
        ofMailboxes.compactMap { if case .listens(let address) = $0 { address.port } else { nil } }.last
    }
    var givenUp: Int { ofMailboxes.count { $0 == .givenUp } }
    /// All notices as text, for a failure message.
    var all: String { "\(ofLinks.map(\.text)) \(ofMailboxes.map(\.text)) \(ofDestinations.map(\.text))" }
}

/// Returns a random stream that is used once.
func freshStream() -> RandomStream {
    guard let stream = RandomStream(seed: .random()) else { preconditionFailure("libsodium is not usable") }
    return stream
}

extension Secret {
    /// Returns random bytes for a secret that is used once.
    static func random() -> Secret { Secret((0..<32).map { _ in UInt8.random(in: 0...255) }) }
}

extension VirtualAgentExchange {
    /// Creates an exchange with a new agent at `endpoint`, with keys of `seed`. `hasPickup`: whether its
    /// mailboxes use pickup 2.0; nil: it keeps none.
    init(
        _ endpoint: Text = "http://agent.test/", seed: Secret = .random(), hasPickup: Bool? = nil,
        clock: Clock = .system
    ) throws {
        guard let random = RandomStream(seed: seed), var agent = VirtualAgent(endpoint: endpoint, random: random) else {
            throw CancellationError()
        }
        if let hasPickup { agent.mediation = VirtualMediation(seed: .random(), hasPickup: hasPickup) }
        self.init(agent, clock: clock)
    }
}

extension AgentConnection.Configuration {
    /// A configuration whose retries are so quick that no test waits for them.
    static var impatient: AgentConnection.Configuration {
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
        (limits.firstLook, limits.longestLook) = (.milliseconds(5), .milliseconds(50))
        limits.lateAnswer = .seconds(30)
        return AgentConnection.Configuration(
            label: "kiosk", limits: limits, rules: RequestRules(answers: [.init(question: "open?", response: "yes")]))
    }
}

extension Configuration {
    /// Returns the configuration of a gate in a test's folder; its agent's invitation is the file
    /// `invitation` there.
    static func ofAgent(in folder: URL) throws -> Configuration {
        let text = """
            kiosk.name = "Gate"
            [ledger]
            path = "a.db"
            [agent]
            invitations = ["invitation"]
            allowPlainHTTP = true
            retryFirst = "100ms"
            retryLast = "1s"
            batchDelay = "1s"
            """
        return try Configuration.parse(Array(text.utf8), file: "c.toml", folder: folder.path)
    }
}

extension CourierStore {
    /// Opens the courier's database next to a ledger, and hands the courier's rows over, like each start.
    static func opened(besides ledger: Store, sealing: SealingSource? = nil) async throws(StoreError) -> CourierStore {
        let courier = try await open(besides: ledger.path, sealing: sealing)
        do throws(StoreError) {
            try await ledger.handOver(to: courier)
        } catch {
            await courier.close()
            throw error
        }
        return courier
    }
}

extension Store {
    /// Makes a connection the route to the primary destination. The ledger knows no more of it than its id.
    func route(over connection: Text) async throws(StoreError) {
        try await takeOver(
            DeliveryCursor.primary, by: connection, insteadOf: deliveries[DeliveryCursor.primary]?.connection)
    }

    private static let software = Outcome.Software(name: "s", version: "1")
    private static let stamp = RecordStamp(
        kiosk: "k", boot: "b", time: WallTime(utc: Timestamp(seconds: 1), provenance: .rtc), monotonic: .zero)

    /// Opens the database in a test's folder, with its primary destination.
    static func opened(in folder: URL) async throws -> Store {
        let store = try await open(folder.appendingPathComponent("ledger.db").path)
        try await store.begin(stamp: stamp, software: software)
        try await store.cursor(of: DeliveryCursor.primary)
        return store
    }

    /// Records `count` visits of two entries each.
    func record(_ count: Int) async throws {
        for _ in 0..<count {
            let visit = Text(UUID().uuidString.lowercased())
            try await appendIntent(visit, stamp: Self.stamp)
            try await appendOutcome(visit, Outcome(.accepted, gate: .shut, software: Self.software), stamp: Self.stamp)
        }
    }

    /// Whether the primary destination has confirmed every entry.
    var isDelivered: Bool { deliveries[DeliveryCursor.primary]?.confirmed == head.point.count }
}
