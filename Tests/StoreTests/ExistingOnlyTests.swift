import Encoding
import Foundation
import Ledger
import Testing

@testable import Store

/// Opening a store with the option to create nothing.
@Suite struct ExistingOnlyTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-store-\(UUID())")
    private var path: String { folder.appendingPathComponent("state/gatehouse.db").path }
    private var options: StoreOptions {
        var options = StoreOptions()
        (options.mayBeginNewLedger, options.mayMake) = (false, false)
        return options
    }

    private func source(_ path: String) -> WitnessSource {
        WitnessSource(path: path + ".witness", keyPath: path + ".witness-key", code: "a.code")
    }

    private func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    }

    private func expectAbsent(_ content: [String]) async throws {
        await #expect(throws: StoreError.absent(path: path)) {
            try await Store.open(path, options: options, witness: source(path))
        }
        #expect(try names() == content)
    }

    @Test func anAbsentDatabaseIsNotMade() async throws {
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        try await expectAbsent([])
        try files.createDirectory(
            atPath: folder.path + "/state", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try await expectAbsent(["state"])
        // An interrupted start leaves an empty database file.
        #expect(files.createFile(atPath: path, contents: nil))
        try await expectAbsent(["state", "state/gatehouse.db"])
        try files.removeItem(atPath: path)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        try await expectAbsent(["state", "state/gatehouse.db"])
    }

    @Test func anExistingDatabaseIsOpenedWithoutANewKey() async throws {
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        try await Store.open(path, witness: source(path)).close()
        let whole = try names()
        let store = try await Store.open(path, options: options, witness: source(path))
        #expect(store.keysAtRest.failure == nil)
        await store.close()
        #expect(try names() == whole)
        // Without the key of the connections, all other data is readable. Without the witness key, nothing is readable.
        try files.removeItem(atPath: path + ".agent-key")
        let keyless = try await Store.open(path, options: options, witness: source(path))
        #expect(keyless.keysAtRest.failure != nil)
        await keyless.close()
        try files.removeItem(atPath: path + ".witness-key")
        await #expect(throws: StoreError.self) {
            try await Store.open(path, options: options, witness: source(path))
        }
        #expect(try names() == whole.filter { !$0.hasSuffix("-key") })
    }

    /// A read-only command does not sign a ledger that its witness does not contain. Otherwise the next start would not
    /// notice the removal of the witness.
    @Test func aWitnessThatWasRemovedIsNotMadeAnew() async throws {
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        try await Store.open(path, witness: source(path)).close()
        try files.removeItem(atPath: path + ".witness")
        let store = try await Store.open(path, options: options, witness: source(path))
        #expect(store.standing == .unwitnessed("there is no witness file"))
        await store.close()
        #expect(!files.fileExists(atPath: path + ".witness"))
        let next = try await Store.open(path, witness: source(path))
        #expect(next.standing == .unwitnessed("there is no witness file"))
        await next.close()
    }
}
