import Credentials
import Encoding
import Foundation
import LinuxIO
import Reasons
import TestKit
import Testing

@testable import TrustFiles

/// Bundles and fetched copies on the disk of a gate.
@Suite struct TrustStateTests {
    private let fixture: TrustFixture

    init() throws { fixture = try TrustFixture() }

    private func refusal(_ bytes: [UInt8], _ state: TrustState? = nil) -> String? {
        do {
            try (state ?? fixture.state).install(bytes)
            return nil
        } catch { return "\(error)" }
    }

    @Test func aBundleTakesThePlaceOfTheDirectory() throws {
        #expect(try fixture.state.read().directory.store.version.hasPrefix("sha256:"))
        let bytes = try fixture.bundle(42)
        #expect(try fixture.state.install(bytes).isNew)
        let loaded = try fixture.state.read().directory
        #expect(loaded.store.version.hasPrefix("bundle 42 sha256:"))
        #expect(loaded.store.members(ofGroup: "bundle-42") == [TrustFixture.id])
        // A second import is harmless, and reports that the bundle is not new.
        #expect(try fixture.state.install(bytes).isNew == false)
        // Without keys no bundle is used, whatever is in the folder.
        #expect(try fixture.state(keys: []).read().directory.store.version.hasPrefix("sha256:"))
        #expect(refusal(bytes, fixture.state(keys: [])) == "noKeys")
    }

    @Test func versionsNeverGoBack() throws {
        let old = try fixture.bundle(41)
        try fixture.state.install(fixture.bundle(42))
        #expect(refusal(old) == "rollBack(offered: 41, installed: 42)")
        let other = try fixture.bundle(42, ["issuers.toml": TrustFixture.issuers("groups = [\"other\"]")])
        #expect(refusal(other) == "conflict(42)")
        #expect(try fixture.state.read().directory.store.members(ofGroup: "bundle-42") != nil)
        #expect(refusal(try fixture.bundle(43)) == nil)
        #expect(try fixture.state.read().directory.store.members(ofGroup: "bundle-43") != nil)
    }

    @Test func bundlesOfOtherKeysAreNotUsed() throws {
        let stranger = try #require(OperatorSigningKey(seed: [UInt8](repeating: 9, count: 32)))
        try fixture.state.install(fixture.bundle(1))
        let good = try fixture.bundle(2)
        var changed = good
        changed[good.count - 2] ^= 1
        for bad in [try fixture.bundle(2, key: stranger), changed, Array(good.dropLast()), good + [0], []] {
            #expect(refusal(bad) != nil)
        }
        // A valid signature on unusable content.
        #expect(refusal(try fixture.bundle(2, ["did/a.json": "{}"])) != nil)
        #expect(refusal(try fixture.bundle(2, ["issuers.toml": "[[issuer]]\nname = 1\n"])) != nil)
        #expect(try fixture.state.read().directory.store.members(ofGroup: "bundle-1") != nil)
    }

    @Test func aBundleThatIsSpoiltOnTheDiskIsNotUsed() throws {
        try fixture.state.install(fixture.bundle(1))
        var bytes = try #require(FileManager.default.contents(atPath: fixture.state.bundlePath))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: fixture.state.bundlePath))
        #expect(throws: TrustDirectoryError.self) { try fixture.state.read() }
        // The next import repairs it.
        #expect(refusal(try fixture.bundle(2)) == nil)
        #expect(try fixture.state.read().directory.store.version.hasPrefix("bundle 2 "))
    }

    /// Damage of the file: other bytes, truncated, emptied, deleted, an older bundle, another bundle with the
    /// same number.
    @Test(arguments: ["spoilt", "cut", "empty", "gone", "older", "conflicting", "unreadable"])
    func theLastGoodBundleServes(_ damage: String) throws {
        let state = fixture.state
        let good = try fixture.bundle(5)
        try state.install(good)
        try state.remember(try state.read())
        #expect(try state.read().fault == nil)
        let file = URL(fileURLWithPath: state.bundlePath)
        switch damage {
        case "spoilt": try Data(good.dropLast() + [good.last.map { $0 ^ 1 } ?? 0]).write(to: file)
        case "cut": try Data(good.prefix(100)).write(to: file)
        case "empty": try Data().write(to: file)
        case "gone": try FileManager.default.removeItem(at: file)
        case "older": try Data(try fixture.bundle(4)).write(to: file)
        case "conflicting":
            try Data(try fixture.bundle(5, ["issuers.toml": TrustFixture.issuers("groups = [\"other\"]")])).write(
                to: file)
        default:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        let reading = try state.read()
        #expect(
            reading.directory.store.members(ofGroup: "bundle-5") == [TrustFixture.id], "not the directory, nobody else")
        #expect(reading.fault != nil && reading.unkept == nil)
        let reports = Reports()
        _ = try state.begin(reports.report)
        #expect(reports.present == [.trustBundle])

        if damage == "unreadable" { try FileManager.default.removeItem(at: file) }
        #expect(refusal(try fixture.bundle(4)) == "rollBack(offered: 4, installed: 5)")
        try state.install(good)
        #expect(FileManager.default.contents(atPath: state.bundlePath) == Data(good))
        _ = try state.begin(reports.report)
        #expect(reports.present.isEmpty)
    }

    /// A change of permissions only changes the stamp.
    @Test func permissionsArePartOfTheStamp() throws {
        let state = fixture.state(keys: [])
        let before = state.stamp()
        let file = state.directory + "/issuers.toml"
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: file)
        #expect(state.stamp() != before)
    }

    /// A folder that cannot be listed does not count as a folder without files.
    @Test func aFileInPlaceOfAFolderIsReported() throws {
        let state = fixture.state(keys: [])
        try? FileManager.default.removeItem(atPath: state.directory + "/status")
        try fixture.write("directory/status", "no folder")
        let error = #expect(throws: TrustDirectoryError.self) { try state.read() }
        #expect(error?.summary.contains("/status: is not a folder. ") == true, "\(String(describing: error))")
    }

    /// When no issuer has a key, no visitor can be admitted, which is reported before a visitor arrives; one
    /// issuer with a known key is enough.
    @Test func issuersWithoutAKeyAreReported() throws {
        let (state, reports) = (fixture.state(keys: []), Reports())
        let names = "[[issuer]]\nid = \"\(TrustFixture.id)\"\n[[issuer]]\nid = \"https://b.example\"\n"
        try fixture.write("directory/issuers.toml", names)
        _ = try state.begin(reports.report)
        #expect(reports.present == [.trustUnusable])
        #expect(reports.details(.trustUnusable).first?.contains("no key of any issuer is known") == true)
        try fixture.write("directory/did/a.json", TrustFixture.document())
        _ = try state.begin(reports.report)
        #expect(reports.present.isEmpty)
        try FileManager.default.removeItem(atPath: state.directory + "/did")
        try fixture.write("directory/issuers.toml", names + "[[issuer]]\nid = \"\(TrustFixture.controller)\"\n")
        _ = try state.begin(reports.report)
        #expect(reports.present.isEmpty)
    }

    @Test func withoutUsableDataNoIssuerIsTrusted() throws {
        let reports = Reports()
        try fixture.state.install(fixture.bundle(1))
        try fixture.write("state/bundle", "nonsense")
        let reading = try fixture.state.begin(reports.report)
        #expect(reading.directory.material.issuers.isEmpty && reading.fault != nil)
        #expect(reports.present == [.trustUnusable])
        // An invalid directory is not trusted either, and neither is one without issuers.
        for text in ["profile = 7\n", ""] {
            try fixture.write("directory/issuers.toml", text)
            #expect(try fixture.state(keys: []).begin(reports.report).directory.material.issuers.isEmpty)
            #expect(reports.present.contains(.trustUnusable))
        }
        try FileManager.default.removeItem(atPath: fixture.path + "/directory")
        #expect(try fixture.state(keys: []).begin(reports.report).directory.material.issuers.isEmpty)
        // Until the first bundle, the directory is used, and that is reported.
        let fresh = try TrustFixture()
        #expect(try fresh.state.begin(reports.report).directory.material.issuers.count == 1)
        #expect(reports.present == [.trustBundle])
    }

    /// After a power cut while the copy is written, the copy is the old one or the new one.
    @Test func theCopyIsWrittenOnceForEachBundle() throws {
        let state = fixture.state
        try state.install(fixture.bundle(1))
        let first = try state.read()
        #expect(first.unkept != nil)
        try state.remember(first)
        let stamp = state.stamp()
        #expect(try state.read().unkept == nil, "kept already")
        #expect(
            FileManager.default.contents(atPath: state.lastGoodPath)
                == FileManager.default.contents(atPath: state.bundlePath))
        try state.install(fixture.bundle(2))
        #expect(state.stamp() != stamp)
        try state.remember(try state.read())
        #expect(
            FileManager.default.contents(atPath: state.lastGoodPath)
                == FileManager.default.contents(atPath: state.bundlePath))
    }

    /// The state folder after a power cut at each step.
    @Test func aCutAtAnyInstantLeavesTheOldOrTheNew() throws {
        try fixture.state.install(fixture.bundle(1))
        let next = try fixture.bundle(2)
        var steps: [DurableFile.Step] = []
        var found: [Text?] = []
        try fixture.state.install(next) { step in
            steps.append(step)
            let copy = fixture.path + "/cut-\(steps.count)"
            try? FileManager.default.copyItem(atPath: fixture.path + "/state", toPath: copy)
            let state = TrustState(directory: "/", state: copy, keys: [fixture.operatorKey.publicKey])
            found.append((try? state.read().directory).map { Text(String($0.store.version.prefix(8))) })
        }
        // The file is on the disk before it gets its name, and its name is on the disk before the result is
        // returned.
        #expect(steps == [.created, .written, .synced, .renamed, .done])
        #expect(found == ["bundle 1", "bundle 1", "bundle 1", "bundle 2", "bundle 2"])
        // A leftover of an interrupted import does not prevent the next one.
        try fixture.write("state/.bundle.\(getpid()).new", "half of it")
        try fixture.state.install(fixture.bundle(3))
        #expect(try fixture.state.read().directory.store.version.hasPrefix("bundle 3 "))
    }

    @Test func aFolderIsReplacedInOneStep() throws {
        let place = fixture.path + "/directory"
        var seen: [String] = []
        let files = [("issuers.toml", Array(TrustFixture.issuers("groups = [\"new\"]").utf8)), ("did/x/a.json", [1])]
        try DurableFile.replaceFolder(place, with: files) { step in
            let isNew = (try? TrustDirectory(path: place))?.store.members(ofGroup: "new") != nil
            seen.append("\(step) \(isNew ? "new" : "old")")
        }
        #expect(
            seen.last == "done new" && seen.contains("renamed new") && seen.filter { $0.hasSuffix("new") }.count == 2)
        #expect(FileManager.default.contents(atPath: place + "/did/x/a.json") == Data([1]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path) == ["directory"])
        try DurableFile.replaceFolder(fixture.path + "/fresh", with: files)
        #expect(FileManager.default.fileExists(atPath: fixture.path + "/fresh/did/x/a.json"))
        #expect(throws: SystemError.self) { try DurableFile.replaceFolder("/nowhere/at/all", with: files) }
    }

    @Test func copiesAreUsedWhileTheyAreNewer() throws {
        try fixture.write("directory/did/a.json", TrustFixture.document(1))
        let state = fixture.state(keys: [])
        let resource = try #require(RefreshResource.document(TrustFixture.id))
        func documents(_ confirmed: Int64) throws -> [[UInt8]] {
            try state.keep(
                RefreshedCopy(
                    resource, content: Array(TrustFixture.document(2).utf8), confirmed: Timestamp(seconds: confirmed)))
            return try state.read().directory.material.documents
        }
        #expect(try documents(4_000_000_000) == [Array(TrustFixture.document(2).utf8)])
        // A file that was added later is a decision of the operator.
        #expect(try documents(1) == [Array(TrustFixture.document(1).utf8)])
        try fixture.write("state/refreshed/broken.json", "{")
        try fixture.write("state/refreshed/.hidden.json", "{")
        #expect(state.copies().count == 1)
    }

    @Test func rulesComeWithABundle() throws {
        #expect(try fixture.state.read().directory.rules == nil)
        let good = "id = \"gate\"\nversion = \"7\"\n[[accept]]\nid = \"all\"\n"
        let broken = "nonsense = 1\n"
        let issuers = TrustFixture.issuers()
        #expect(refusal(try fixture.bundle(1, ["issuers.toml": issuers, "policy.toml": broken])) != nil)
        let refused = refusal(try fixture.bundle(1, ["issuers.toml": issuers, "policy.toml": good]))
        #expect(refused == nil, "\(refused ?? "")")
        #expect(try fixture.state.read().directory.rules?.version == "7")
    }

    @Test func changesOnTheDiskAreSeen() throws {
        let state = fixture.state
        var stamps: Set<[UInt8]> = [state.stamp()]
        #expect(state.stamp() == stamps.first)
        try fixture.write("directory/did/a.json", TrustFixture.document())
        stamps.insert(state.stamp())
        try fixture.write("directory/did/a.json", TrustFixture.document(10))
        stamps.insert(state.stamp())
        try state.install(fixture.bundle(1))
        stamps.insert(state.stamp())
        try state.install(fixture.bundle(2))
        stamps.insert(state.stamp())
        #expect(stamps.count == 5)
        try fixture.write("directory/.hidden", "x")
        #expect(stamps.contains(state.stamp()))
    }
}
