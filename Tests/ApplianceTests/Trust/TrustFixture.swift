import Credentials
import Encoding
import Foundation
import Kiosk
import LinuxIO
import Reasons
import Simulation
import Synchronization
import TrustFiles

/// A folder with a trust directory and room for bundles, removed with the value. The issuer is the one of the
/// demonstration.
final class TrustFixture: Sendable {
    let path: String
    let operatorKey: OperatorSigningKey

    init() throws {
        path = NSTemporaryDirectory() + "trust-" + UUID().uuidString
        guard let key = OperatorSigningKey(seed: [UInt8](repeating: 1, count: 32)) else {
            throw CocoaError(.coderInvalidValue)
        }
        operatorKey = key
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write("directory/issuers.toml", Self.issuers())
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static let id: Text = "did:web:issuer.example"

    /// Returns an `issuers.toml` with one issuer, whose key is known without a document, and these further
    /// lines for it.
    static func issuers(_ more: String = "", id: Text = TrustFixture.id) -> String {
        "[[issuer]]\nid = \"\(id)\"\ncontrollers = [\"\(controller)\"]\n\(more)\n"
    }

    /// The issuer's controller: a did:key, which needs no document.
    static let controller = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"

    /// Returns a DID document of the issuer, with a number that makes it different.
    static func document(_ number: Int = 1, id: Text = TrustFixture.id) -> String {
        "{\"id\": \"\(id)\", \"verificationMethod\": [], \"number\": \(number)}"
    }

    var state: TrustState { state(keys: [operatorKey.publicKey]) }

    func state(keys: [OperatorKey]) -> TrustState {
        TrustState(directory: path + "/directory", state: path + "/state", keys: keys)
    }

    func write(_ file: String, _ text: String) throws {
        let url = URL(fileURLWithPath: path + "/" + file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func bundle(
        _ version: Int, _ files: [Text: String]? = nil, key: OperatorSigningKey? = nil
    ) throws -> [UInt8] {
        let edition = TrustEdition(
            version: version, digest: [], issued: Timestamp(seconds: 1_790_000_000),
            validUntil: Timestamp(seconds: 1_900_000_000))
        let files = files ?? ["issuers.toml": Self.issuers("groups = [\"bundle-\(version)\"]")]
        return try TrustBundle.write(edition, files: files.mapValues { Array($0.utf8) }, key: key ?? operatorKey)
    }
}

/// The reports of the gate's health.
final class Reports: Sendable {
    private let all = Mutex<[HealthReport]>([])

    var report: HealthReporter { { [self] report in all.withLock { $0.append(report) } } }

    /// The codes that are present by the latest reports, in the order of their table.
    var present: [ReasonCode] {
        let last = Dictionary(all.withLock { $0 }.map { ($0.code.text, $0) }, uniquingKeysWith: { $1 })
        return ReasonCode.all.filter { last[$0.text]?.isPresent == true }
    }

    /// Returns the reported details of a code.
    func details(_ code: ReasonCode) -> [String] {
        all.withLock { $0 }.filter { $0.isPresent && $0.code == code }.map { $0.detail ?? "" }
    }
}

/// Returns a log in a file that the test does not read.
func quietLog(in fixture: TrustFixture) throws -> LogSink { try LogSink(.file(fixture.path + "/log")) }
