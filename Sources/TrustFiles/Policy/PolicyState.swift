package import Credentials
import Crypto
import Encoding
package import Kiosk
package import LinuxIO
import Reasons

/// The policy file of a gate, and a copy of its last valid content in a folder of the service. So rules in force
/// survive a restart even if the file is damaged before it.
package struct PolicyState: Sendable {
    /// The path of the file, which the operator maintains.
    package let path: String
    /// The path of the copy. Its name contains a hash of ``path``, so that two gates do not share a copy.
    private let copy: String
    private let folder: String

    /// Creates the state of the policy file at `path`. Its copy is in the folder `folder`.
    package init(path: String, folder: String) {
        self.path = path
        self.folder = folder
        copy = "\(folder)/policy-\(Hex.encode(Array(SHA256.hash(data: Array(path.utf8))).prefix(8))).good"
    }

    /// Returns the rules for the start of the gate: those of the file or, if the file is unusable, those of the copy.
    /// Without either, returns rules that admit no visitor. Reports an unusable file as a fault.
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

    /// Returns the present content of the file; nil if it cannot be read or is no regular file. A pipe is not opened,
    /// because that could block.
    package func bytes() -> [UInt8]? { FileBytes.isFile(path) ? PolicyFile.bytes(path) : nil }

    /// Returns the report of the fault that a policy file is unusable. `rules` are the rules in force.
    package static func fault(_ error: PolicyLoadError, under rules: GatePolicy?) -> HealthReport {
        let isNobody = rules.map { $0.accept.isEmpty } ?? false
        return .present(.policyFile, detail: error.summary + (isNobody ? " Until then no visitor is admitted." : ""))
    }

    /// Stores a copy of the policy file whose rules are now in force. Logs a failure.
    package func remember(_ bytes: [UInt8], _ log: LogSink) {
        guard PolicyFile.bytes(copy) != bytes else { return }
        do throws(SystemError) {
            try DurableFile.make(folder: folder)
            try DurableFile.replace(copy, with: bytes)
        } catch {
            // Continue without a copy. If the file is damaged before the next start, that start finds no usable
            // rules.
            log.log(.warning, "policy.not-kept", ["reason": .text("\(error)")])
        }
    }
}
