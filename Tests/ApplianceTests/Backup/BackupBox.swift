import Clocks
import Encoding
import Features
import Foundation
import GateService
import Kiosk
import Ledger
import Settings
import Store
import TestKit

@testable import Backup

/// A gate in a folder: a configuration, trust data, and a ledger of a few visits with a connection.
final class BackupBox: Sendable {
    static let software = Outcome.Software(name: "gatehouse", version: "1")
    let folder: URL

    /// The scrypt work factor of one attempt of a passphrase: the smallest one, unless the box is as in
    /// production.
    private let keyWork: Int

    /// With `isAsInLife`, the folder is on a real disk, with the real cost of syncs, and keys are protected
    /// by the product's full work factor.
    init(isAsInLife: Bool = false) throws {
        keyWork = isAsInLife ? KeyBox.work : 2
        let parent = isAsInLife ? FileManager.default.temporaryDirectory : MemoryFolder.parent
        folder = parent.appendingPathComponent("gatehouse-backup-\(UUID().uuidString)")
        for name in ["state", "trust", "usb"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        try write("trust/issuers.toml", "profile = \"strict\"\n")
        try write("rules.toml", "")
        try write("gate.toml", Self.text)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let text = """
        [kiosk]
        name = "Gate"
        [trust]
        directory = "trust"
        state = "state/trust"
        [ledger]
        path = "state/gatehouse.db"
        [display]
        kind = "none"

        """

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent(name))) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path("state")))?.sorted() ?? [] }

    var configuration: Configuration { get throws { try Configuration.load(path("gate.toml")) } }

    func open(_ options: StoreOptions = StoreOptions()) async throws -> Store {
        let configuration = try configuration
        let store = try await Store.open(
            configuration.ledger.path, options: options, witness: configuration.ledger.witness([:]),
            sealing: configuration.agent.sealing([:]))
        if options.mayBeginNewLedger {
            try await store.begin(stamp: Self.stamp, software: Self.software)
            try await store.recover(stamp: Self.stamp, software: Self.software)
        }
        return store
    }

    /// Opens the courier's database next to an open ledger, like a start.
    func courier(_ store: Store) async throws -> CourierStore {
        try await CourierStore.opened(besides: store, sealing: configuration.agent.sealing([:]))
    }

    /// The states of the connections of a gate.
    func states(_ store: Store) async throws -> [[UInt8]] {
        let courier = try await courier(store)
        let states = try await courier.connections().map(\.snapshot)
        await courier.close()
        return states
    }

    static let stamp = RecordStamp(
        kiosk: "Gate", boot: "b", time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc),
        monotonic: .zero)

    /// Records visits with new ids.
    static func record(_ count: Int, _ store: Store) async throws {
        for _ in 0..<count {
            let visit = Text(UUID().uuidString.lowercased())
            try await store.appendIntent(visit, stamp: stamp)
            try await store.appendOutcome(
                visit, Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: software), stamp: stamp)
        }
    }

    /// Runs the service once: it records `visits` visits, and a connection.
    func serve(_ visits: Int) async throws {
        let store = try await open()
        _ = try await store.siteKey()
        let courier = try await courier(store)
        try await courier.saveConnection("agent", [1, 2, 3])
        await courier.close()
        try await store.route(over: "agent")
        try await Self.record(visits, store)
        await store.close()
    }

    var making: BackupMaker {
        get throws {
            var making = BackupMaker(
                try configuration, file: path("gate.toml"), software: "1.0", environment: [:], at: Clock.system.utc())
            (making.machine, making.keyWork) = ("one", keyWork)
            return making
        }
    }

    var restoring: BackupRestorer {
        get throws {
            var restoring = BackupRestorer(
                try configuration, file: path("gate.toml"), environment: [:], at: Clock.system.utc())
            (restoring.machine, restoring.keyWork) = ("one", keyWork)
            return restoring
        }
    }
}

extension BackupRestorer.Choices {
    /// Returns the options of an operator.
    static func with(
        _ passphrase: [UInt8]? = nil, replaces: Bool = false, isOther: Bool = false, continues: Bool = false,
        configuration: Bool = false, programs: Bool = false
    ) -> BackupRestorer.Choices {
        var choices = BackupRestorer.Choices()
        (choices.passphrase, choices.replaces, choices.isOtherMachine) = (passphrase, replaces, isOther)
        (choices.continues, choices.takesConfiguration) = (continues, configuration)
        choices.takesPrograms = programs
        return choices
    }
}
