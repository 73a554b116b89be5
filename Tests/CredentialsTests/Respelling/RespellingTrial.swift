import Encoding
import Reasons

@testable import Credentials

/// The verdict on a plain document, and the verdicts that its respelt forms may get.
struct RespellingTrial {
    let name: String
    let verifier: Verifier
    var demand = HolderDemand()
    let clock: WallTime
    /// Returns the payload to verify for the respelt document: the document itself, unless it is a status
    /// list of the payload.
    var payload: (JSON) throws -> (Verifier, [UInt8])
    let plain: Verdict

    init(_ name: String, _ verifier: Verifier, _ document: JSON, demand: HolderDemand = .init(), clock: WallTime) throws
    {
        try self.init(name, verifier, document, demand: demand, clock: clock) { (verifier, $0.compactBytes) }
    }

    init(
        _ name: String, _ verifier: Verifier, _ document: JSON, demand: HolderDemand = .init(), clock: WallTime,
        payload: @escaping (JSON) throws -> (Verifier, [UInt8])
    ) throws {
        (self.name, self.verifier, self.demand, self.clock, self.payload) = (name, verifier, demand, clock, payload)
        let (verifier, bytes) = try payload(document)
        plain = verifier.verify(bytes, demand: demand, at: clock)
    }

    /// Returns what is wrong with the verdicts on a respelt document, with both lines of defence and with the first
    /// alone.
    ///
    /// - Parameter also: Additional possible beginnings of a refusal.
    func failures(of candidate: Respeller.Candidate, _ respelt: JSON, also: [String] = []) throws -> [String] {
        var (verifier, bytes) = try payload(respelt)
        let both = verifier.verify(bytes, demand: demand, at: clock)
        verifier.checksSpelling = false
        let statements = verifier.verify(bytes, demand: demand, at: clock)
        return [
            Self.failure(both, plain, refusals: candidate.refusals(checkingSpelling: true) + also).map {
                "both lines: " + $0
            },
            Self.failure(statements, plain, refusals: candidate.refusals(checkingSpelling: false) + also).map {
                "statements: " + $0
            },
        ].compactMap(\.self)
    }

    private static func failure(
        _ verdict: Verdict, _ plain: Verdict, refusals: @autoclosure () -> [String]
    ) -> String? {
        let code = verdict.code.text
        // The document has the maximum depth, so one more wrapper is too deep.
        if verdict.code == .jsonTooDeep { return nil }
        if !verdict.isAccepted {
            let isKnown = !plain.isAccepted && code == plain.code.text
            return isKnown || refusals().contains(where: code.hasPrefix)
                ? nil : "refused as \(code) at \(verdict.reasons.first?.pointer ?? "-"), plain is \(plain.code.text)"
        }
        guard plain.isAccepted else { return "WRONGLY ACCEPTED, plain is \(plain.code.text)" }
        let (left, right) = (verdict.credential, plain.credential)
        if left.signedDigest != right.signedDigest { return "another signed digest" }
        if Set(verdict.replayKeys) != Set(plain.replayKeys) { return "other replay keys" }
        if left.issuer != right.issuer || Set(left.types) != Set(right.types) { return "another issuer or other types" }
        if left.validFrom != right.validFrom || left.validUntil != right.validUntil { return "other dates" }
        return Set(verdict.status.map(\.meaning)) == Set(plain.status.map(\.meaning)) ? nil : "other status"
    }
}

extension StatusAnswer {
    fileprivate var meaning: String { "\(purpose) \(value)" }
}

/// Counts the attempts and collects the failures.
struct RespellingTally {
    private(set) var cases = 0
    private(set) var tricks: [String: Int] = [:]
    private(set) var failures: [String] = []

    mutating func record(_ candidate: Respeller.Candidate, _ trial: RespellingTrial, _ found: [String]) {
        cases += 1
        tricks[candidate.trick, default: 0] += 1
        failures += found.map { "\(trial.name): \(candidate.name): \($0)" }
    }

    static func += (left: inout RespellingTally, right: RespellingTally) {
        left.cases += right.cases
        left.tricks.merge(right.tricks, uniquingKeysWith: +)
        left.failures += right.failures
    }

    /// The failures without their places, with the number of each.
    var summary: [String] {
        var kinds: [String: Int] = [:]
        for failure in failures {
            kinds[failure.split(separator: ": ").suffix(2).joined(separator: ": "), default: 0] += 1
        }
        return kinds.sorted { $0.value > $1.value }.map { "\($0.value) x \($0.key)" }
    }
}
