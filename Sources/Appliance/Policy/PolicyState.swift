package import Credentials
import Crypto
import Encoding
package import Kiosk
package import LinuxIO

/// The policy file of a gate, and the last good copy of it in a folder of the service: rules that were in force stay so across a
/// restart, whatever became of the file.
package struct PolicyState: Sendable {
    /// The file that people keep.
    package let path: String
    /// Where the copy is: of this very path, as a copy of another gate's rules would be none.
    private let copy: String
    private let folder: String

    /// The file at `path`, with its copy in `folder`.
    package init(path: String, folder: String) {
        self.path = path
        self.folder = folder
        copy = "\(folder)/policy-\(Hex.encode(Array(SHA256.hash(data: Array(path.utf8))).prefix(8))).good"
    }

    /// The rules to begin with: those of the file, else of its copy, else none, by which nobody is let in. Tells which.
    package func begin(_ log: LogSink, _ report: HealthReporter) -> GatePolicy {
        do throws(PolicyLoadError) {
            guard let bytes = bytes() else { throw .unreadable(path) }
            let rules = try PolicyFile.parse(bytes, file: path)
            remember(bytes, log)
            report(.over(.policyFile))
            return rules
        } catch {
            let good = PolicyFile.bytes(copy).flatMap { try? PolicyFile.parse($0, file: copy) }
            let rules = good ?? GatePolicy(id: "unusable", version: "0", digest: [])
            report(Self.fault(error, under: rules))
            return rules
        }
    }

    /// The file as it is now; nil when it cannot be read. Nobody waits for a pipe in its place.
    func bytes() -> [UInt8]? { FileBytes.isFile(path) ? PolicyFile.bytes(path) : nil }

    /// What is to be told of a file that cannot be used while `rules` are in force.
    static func fault(_ error: PolicyLoadError, under rules: GatePolicy?) -> HealthReport {
        let isNobody = rules.map { $0.accept.isEmpty } ?? false
        return .present(.policyFile, detail: error.summary + (isNobody ? " Until then nobody is let in." : ""))
    }

    /// Keeps the bytes of rules that came into force.
    func remember(_ bytes: [UInt8], _ log: LogSink) {
        guard PolicyFile.bytes(copy) != bytes else { return }
        do throws(SystemError) {
            try DurableFile.make(folder: folder)
            try DurableFile.replace(copy, with: bytes)
        } catch {
            // The rules hold all the same; only the day when the file is spoilt would find no others.
            log.log(.warning, "policy.not-kept", ["reason": .text("\(error)")])
        }
    }
}
