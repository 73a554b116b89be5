import Clocks
import Encoding
import Features
import Foundation
import GateService
import Ledger
import LinuxIO
import Reasons
import Settings
import Store
import TestKit
import Testing

/// The results of opening the database at a start.
@Suite struct RecordsTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder("records") }

    /// Opens a database in the folder; returns the records, the reports, and the log.
    private func open(
        _ section: String = "", _ environment: [String: String] = [:]
    ) async throws -> (records: Records, reports: Reports, log: String) {
        let text = "kiosk.name = \"G\"\n[ledger]\npath = \"l.db\"\n" + section
        let configuration = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: folder.path)
        let (reports, path) = (Reports(), "\(folder.path)/log-\(UUID().uuidString)")
        let log = try LogSink(.file(path))
        let records = try await Records(
            Records.Opening(
                configuration: configuration, environment: environment, boot: "b", version: "1",
                made: Timestamp(seconds: 0), window: .zero, clock: .system, log: log,
                report: reports.report))
        #expect(log.flush(within: .seconds(60)))
        return (records, reports, String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self))
    }

    /// A regression test: the failure was only a line of the log, and the status said that everything is in
    /// order.
    @Test func aReserveThatCannotBeMadeIsReported() async throws {
        let (records, reports, _) = try await open("reserve = \"none/reserve\"\n")
        #expect(records.reserve == nil && reports.present.contains(.ledgerReserve))
        #expect(reports.details(.ledgerReserve).first?.contains("none/reserve cannot be used: No such file") == true)
        await records.store.close()
    }

    /// A key file next to the database is better than none, and is reported. A key from systemd replaces it.
    /// Without either, the gate continues and reports the remedy.
    @Test func theStorageOfKeysIsReported() async throws {
        var (records, reports, log) = try await open()
        let name = records.siteKey.name(ofSignedContent: [1])
        #expect(log.contains("l.db.agent-key is not encrypted") && log.contains("LoadCredentialEncrypted="))
        #expect(!reports.present.contains(.agentUnreadable))
        await records.store.close()

        let handedOver = folder.path("handed-over")
        try FileManager.default.createDirectory(atPath: handedOver, withIntermediateDirectories: false)
        _ = FileManager.default.createFile(
            atPath: handedOver + "/gatehouse-agent-key", contents: Data(String(repeating: "0a", count: 32).utf8),
            attributes: [.posixPermissions: 0o440])
        (records, reports, log) = try await open("", ["CREDENTIALS_DIRECTORY": handedOver])
        #expect(log.contains("\"resealed\":1") && !log.contains("is not encrypted"))
        #expect(records.siteKey.name(ofSignedContent: [1]) == name && !reports.present.contains(.agentUnreadable))
        await records.store.close()

        try FileManager.default.removeItem(atPath: folder.path("l.db.agent-key"))
        (records, reports, log) = try await open()
        #expect(reports.details(.agentUnreadable).first?.contains("restore the key from its copy") == true)
        #expect(log.contains("credentials are named under another key"))
        #expect(records.siteKey.name(ofSignedContent: [1]) != name)
        await records.store.close()
    }
}
