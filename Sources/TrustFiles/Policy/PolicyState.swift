package import Credentials
import Crypto
import Encoding
package import Kiosk
package import LinuxIO
import Reasons

/// The policy file of a gate, and a copy of its last valid version in a folder of the service. Rules in force stay in
/// force across a restart, even if the file is damaged before the restart.
package struct PolicyState: Sendable {
    /// The file that the operator maintains.
    package let path: String
    /// The path of the copy. The name depends on ``path``, so that two gates do not share a copy.
    private let copy: String
    private let folder: String

    /// Creates the state of the file at `path`, with its copy in `folder`.
    package init(path: String, folder: String) {
        self.path = path
        self.folder = folder
        copy = "\(folder)/policy-\(Hex.encode(Array(SHA256.hash(data: Array(path.utf8))).prefix(8))).good"
    }

    /// Returns the rules for the start of the gate: those of the file, or else those of the copy, or else empty rules,
    /// which admit no visitor. Reports an unusable file.
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

    /// Returns the present content of the file; nil if it is unreadable. A pipe in place of the file is not opened,
    /// because opening it could block.
    package func bytes() -> [UInt8]? { FileBytes.isFile(path) ? PolicyFile.bytes(path) : nil }

    /// Returns the report about an unusable policy file. `rules`: the rules that are in force.
    package static func fault(_ error: PolicyLoadError, under rules: GatePolicy?) -> HealthReport {
        let isNobody = rules.map { $0.accept.isEmpty } ?? false
        return .present(.policyFile, detail: error.summary + (isNobody ? " Until then no visitor is admitted." : ""))
    }

    /// Stores the bytes of the policy file whose rules are now in force.
    package func remember(_ bytes: [UInt8], _ log: LogSink) {
        guard PolicyFile.bytes(copy) != bytes else { return }
        do throws(SystemError) {
            try DurableFile.make(folder: folder)
            try DurableFile.replace(copy, with: bytes)
        } catch {
            // The rules stay in force. If the file is damaged later, the next start finds no copy.
            log.log(.warning, "policy.not-kept", ["reason": .text("\(error)")])
        }
    }
}
