import Credentials
import Encoding
import Foundation
import TestKit
import Testing

/// The verifier opens no socket and no file. While it works, the kernel refuses all system calls except those
/// for memory, locks and clocks, and no call is refused.
@Suite(.serialized) struct OfflineTests {
    /// Without this test the others would prove nothing.
    @Test func trapCatchesAFile() {
        let trapped = Trapped { FileManager.default.contents(atPath: "/proc/self/status") == nil }
        guard trapped.error == 0 else { return print("offline: this kernel has no seccomp filter (\(trapped.error))") }
        #expect(trapped.refused > 0 && trapped.value == true)
    }

    @Test func trapLetsMemoryPass() {
        let trapped = Trapped { (0..<64).map { [UInt8](repeating: $0, count: 1 << 20) }.count }
        guard trapped.error == 0 else { return }
        #expect(trapped.refused == 0 && trapped.value == 64, "system call \(trapped.first)")
    }

    @Test(arguments: [
        "vc/generated", "vc/mosip", "vc/citizenship", "vc/danubetech", "vc/ssi", "vc/di-eddsa", "vc/di-ecdsa",
        "vc/jose-cose", "sd-jwt/testcases", "sd-jwt/rfc9901-examples", "mdoc/iso18013-5-annex-d",
    ]) func verifierOpensNothing(folder: String) throws {
        guard let folder = Vectors.path(folder), let cases = try OfflineCase.all(in: folder) else { return }
        #expect(!cases.isEmpty)
        var accepted = 0
        for item in cases {
            // One run without the trap: system calls that libraries make on first use are not the verifier's.
            let wanted = item.verify()
            let trapped = Trapped { item.verify() }
            guard trapped.error == 0 else { return }
            #expect(trapped.refused == 0, "\(item.id): system call \(trapped.first)")
            #expect(trapped.value == wanted, "\(item.id)")
            if wanted == "ok" { accepted += 1 }
        }
        print("vectors: offline \(folder.lastPathComponent) \(cases.count) cases, \(accepted) accepted, nothing opened")
    }
}
