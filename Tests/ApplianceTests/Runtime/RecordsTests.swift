import Credentials
import Encoding
import Foundation
import LinuxIO
import Store
import Testing

@testable import Appliance

/// What the database gives at a start.
@Suite struct RecordsTests {
    /// It was a line of the log, and the status said that all is in order.
    @Test func aReserveThatCannotBeMadeIsTold() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = "kiosk.name = \"G\"\n[ledger]\npath = \"l.db\"\nreserve = \"none/reserve\"\n"
        let configuration = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: folder)
        let reports = Reports()
        let records = try await Records(
            Records.Opening(
                configuration: configuration, environment: [:], boot: "b", version: "1", window: .zero,
                log: try LogSink(.file(folder + "/log")), report: reports.report))
        #expect(records.reserve == nil && reports.present.contains(.ledgerReserve))
        #expect(reports.details(.ledgerReserve).first?.contains("none/reserve cannot be used: No such file") == true)
        await records.store.close()
    }
}
