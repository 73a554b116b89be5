import Credentials
import Encoding
import Features
import Reasons
import Settings
import Testing
import TrustFiles
import Workbench

/// The configured clock and profile decide about visitors' credentials.
@Suite struct ConfiguredPolicyTests {
    private func verdict(_ section: String, _ provenance: WallTime.Provenance, late seconds: Int64 = 0) throws
        -> Verdict
    {
        let text = "[kiosk]\nname = \"Gate\"\n[clock]\n" + section
        let configuration = try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/")
        let verifier = Verifier(trust: try TrustStore(Samples.trust), policy: ConfiguredPolicy.defaults(configuration))
        let end = try #require(Timestamp(rfc3339: "2027-01-02T05:16:46.176Z"))  // the sample's expirationDate
        let date = seconds == 0 ? Samples.validDate : end.advanced(by: .seconds(seconds))
        return verifier.verify(Samples.credential, at: WallTime(utc: date, provenance: provenance))
    }

    @Test(arguments: ClockSection.sources) func aLesserClockAdmitsNoVisitor(_ minimum: WallTime.Provenance) throws {
        let order = ClockSection.sources
        let least = try #require(order.firstIndex(of: minimum))
        for (index, source) in order.enumerated() {
            let verdict = try verdict("minimum = \"\(minimum.rawValue)\"\n", source)
            #expect(verdict.code == (index >= least ? .ok : .clockUntrusted), "\(source) where \(minimum) is asked for")
        }
    }

    @Test func theSkewIsTheOneThatIsConfigured() throws {
        #expect(try verdict("skew = \"10s\"\n", .rtc, late: 9).isAccepted)
        #expect(try verdict("skew = \"10s\"\n", .rtc, late: 12).code == .validityExpired)
        #expect(try verdict("skew = \"20s\"\n", .rtc, late: 12).isAccepted)
    }
}
