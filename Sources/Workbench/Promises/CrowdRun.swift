import Credentials
import Encoding
import Kiosk
package import Simulation
import Tuvali

/// Simulates a crowd at gates that have the settings of the demonstration.
package enum CrowdRun {
    /// Returns payloads for the real verifier: the sample credential, and the same credential with a changed claim.
    package static func realCredentials() throws -> CrowdCredentials {
        var policy = VerificationPolicy()
        // Report the reuse of a credential, but do not reject it: all visitors present the same credential.
        policy.replay.action = .flag
        let verifier = Verifier(trust: try TrustStore(Samples.trust), policy: policy)
        return CrowdCredentials(
            genuine: Samples.record(Samples.credential), forged: Samples.record(Samples.tamperedCredential)
        ) { payload, now in
            let utc = Samples.validDate.advanced(by: Instant.zero.duration(to: now))
            return verifier.verify(payload, at: WallTime(utc: utc, provenance: .synchronised))
        }
    }

    /// Simulates one crowd and returns the results.
    package static func play(_ plan: CrowdPlan, _ credentials: CrowdCredentials = .placeholder) throws -> CrowdFigures {
        let crowd = try Crowd(plan, credentials: credentials) { name in
            KioskSettings(name: try Identifier(name), softwareVersion: "crowd")
        }
        return crowd.run()
    }
}
