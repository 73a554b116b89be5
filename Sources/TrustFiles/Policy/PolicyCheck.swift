package import Credentials
import Encoding
import Foundation
import Reasons
import Settings

/// Runs the test cases in a policy file. Paths in test cases are relative to the folder of the policy file.
package struct PolicyCheck {
    private let policy: GatePolicy
    private let folder: String
    private var directories: [Text: TrustDirectory] = [:]

    /// Creates a check of a policy that was read from the file at `path`.
    package init(_ policy: GatePolicy, path: String) {
        self.policy = policy
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL.path
    }

    /// Runs one test case.
    package mutating func run(_ test: PolicyTest) -> PolicyTestResult {
        switch test.subject {
        case .verified(let credential): return policy.run(test, on: credential)
        case .claims(let file, var credential):
            guard let bytes = PolicyFile.bytes(resolve(file.string, in: folder)) else {
                return PolicyTestResult(failure: "\(file) cannot be read")
            }
            guard let document = try? JSON.parse(bytes) else {
                return PolicyTestResult(failure: "\(file) is not strict JSON")
            }
            credential.claims = credential.claims.with(document)
            return policy.run(test, on: credential)
        case .payload(let file, let trust):
            guard let bytes = PolicyFile.bytes(resolve(file.string, in: folder)) else {
                return PolicyTestResult(failure: "\(file) cannot be read")
            }
            do throws(TrustDirectoryError) {
                return verify(bytes, test, by: try directory(trust))
            } catch {
                return PolicyTestResult(failure: "\(error)")
            }
        }
    }

    private func verify(_ payload: [UInt8], _ test: PolicyTest, by trust: TrustDirectory) -> PolicyTestResult {
        let verifier = Verifier(trust: trust.store, policy: VerificationPolicy(policy, direction: test.direction))
        var verdict = verifier.verify(payload, at: test.clock)
        if test.wasSeen { verdict = verifier.verify(payload, recent: Set(verdict.replayKeys), at: test.clock) }
        return PolicyTestResult(
            test, decision: verdict.decision, code: Text(verdict.code.text), rule: verdict.rule,
            notes: verdict.ruleNotes)
    }

    private mutating func directory(_ name: Text) throws(TrustDirectoryError) -> TrustDirectory {
        if let known = directories[name] { return known }
        let directory = try TrustDirectory(path: resolve(name.string, in: folder))
        directories[name] = directory
        return directory
    }
}

extension PolicyTest {
    /// Whether the test case names files, whose paths are relative to the folder of the policy file.
    package var needsFiles: Bool { if case .verified = subject { false } else { true } }
}
