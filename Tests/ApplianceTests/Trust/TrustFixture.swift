import Credentials
import Encoding
import Foundation
import Kiosk
import LinuxIO
import Reasons
import Simulation
import TestKit
import TrustFiles

/// A folder with a trust directory and room for bundles, removed with the value. The issuer is the one of the
/// demonstration.
final class TrustFixture: Sendable {
    private let folder: TestFolder
    let operatorKey: OperatorSigningKey

    init() throws {
        folder = try TestFolder("trust")
        guard let key = OperatorSigningKey(seed: [UInt8](repeating: 1, count: 32)) else {
            throw CocoaError(.coderInvalidValue)
        }
        operatorKey = key
        try write("directory/issuers.toml", Self.issuers())
    }

    var path: String { folder.path }

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

    func write(_ file: String, _ text: String) throws { try folder.write(file, text) }

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
typealias Reports = Recorder<HealthReport>

extension Recorder<HealthReport> {
    var report: HealthReporter { { [self] report in add(report) } }

    /// The codes that are present by the latest reports, in the order of their table.
    var present: [ReasonCode] {
        let last = Dictionary(all.map { ($0.code.text, $0) }, uniquingKeysWith: { $1 })
        return ReasonCode.all.filter { last[$0.text]?.isPresent == true }
    }

    /// Returns the reported details of a code.
    func details(_ code: ReasonCode) -> [String] {
        all.filter { $0.isPresent && $0.code == code }.map { $0.detail ?? "" }
    }

    /// Returns the latest report of a code.
    func last(_ code: ReasonCode) -> HealthReport? { all.last { $0.code == code } }
}

/// Returns a log in a file that the test does not read.
func quietLog(in fixture: TrustFixture) throws -> LogSink { try LogSink(.file(fixture.path + "/log")) }
