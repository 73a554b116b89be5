import Encoding
import Reasons

/// A verdict in the form that `gatehouse verify` prints: a JSON line for machines and an explanation for people.
package struct VerdictReport: Sendable {
    /// The duration of one stage.
    package struct StageTime: Sendable {
        /// The stage that was run.
        package let stage: Stage
        /// The duration in whole microseconds.
        package let microseconds: Int

        /// Creates a duration for `stage`.
        package init(_ stage: Stage, microseconds: Int) {
            self.stage = stage
            self.microseconds = microseconds
        }
    }

    /// The name of the file as entered by the user.
    package let file: String
    /// The verdict on the file.
    package let verdict: Verdict
    /// The durations in the order in which the stages ended. A stage can occur more than once (presentations).
    package let stages: [StageTime]
    /// The source of the rules, in plain words; nil without rules.
    package var policyOrigin: String?

    /// Creates a report on one file.
    package init(file: String, verdict: Verdict, stages: [StageTime] = []) {
        self.file = file
        self.verdict = verdict
        self.stages = stages
    }

    /// The verdict as one line of JSON without line end:
    /// `{"file","decision","reasons":[…],"stages":[{"name","us"}],"trust","policy"}`. Each reason is
    /// `{"code","pointer"?,"severity","detail"?,"remedy"?}`, and `reasons[0]` determined the verdict.
    ///
    /// - If status lists were read, the line has `"status":[{"pointer","purpose","value","age"?,"overdue"?}]`, with
    ///   ages in seconds.
    /// - With `context.not-pinned`, the line has `"missing":[URL, …]`.
    /// - With `format.unsupported`, the line has `"unsupported"` with the name of a recognised format.
    /// - For a presentation, the line has `"format"` and
    ///   `"credentials":[{"pointer","format","issuer"?,"types","decided"}]`. The credentials that determine the verdict
    ///   (`decided`) come first.
    package var jsonLine: String {
        let reasons = verdict.reasons.map { reason in
            var object = JSONObject()
            object["code"] = .text(reason.code.text)
            if let pointer = reason.pointer { object["pointer"] = .text(pointer) }
            object["severity"] = .text(reason.severity.rawValue)
            if let detail = reason.detail {
                object["detail"] = .text(detail.word)
                if let remedy = detail.remedy { object["remedy"] = .text(remedy) }
            }
            return JSON.object(object)
        }
        let times = stages.map { JSON.object(["name": .text($0.stage.rawValue), "us": .int($0.microseconds)]) }
        var line: JSONObject = [
            "file": .text(file), "decision": .text(verdict.decision.rawValue), "reasons": .array(reasons),
            "stages": .array(times), "trust": .text(verdict.trust), "policy": .text(verdict.policy),
        ]
        if !verdict.status.isEmpty { line["status"] = .array(verdict.status.map(Self.json)) }
        if !verdict.missing.isEmpty { line["missing"] = .array(verdict.missing.map { .string($0) }) }
        if let format = verdict.unsupported { line["unsupported"] = .text(format.rawValue) }
        if !verdict.credential.place.isEmpty {
            line["format"] = verdict.format.map { .text($0.rawValue) }
            let decisive = verdict.decisive.map { Self.json($0, decided: true) }
            line["credentials"] = .array(decisive + verdict.others.map { Self.json($0, decided: false) })
        }
        return JSON.object(line).compactText
    }

    private static func json(_ credential: CredentialSummary, decided: Bool) -> JSON {
        var object: JSONObject = ["pointer": .text(credential.place)]
        object["format"] = credential.format.map { .text($0.rawValue) }
        object["issuer"] = credential.issuer.map { .string($0) }
        object["types"] = .array(credential.types.map { .string($0) })
        object["decided"] = .bool(decided)
        return .object(object)
    }

    private static func json(_ answer: StatusAnswer) -> JSON {
        var object: JSONObject = [
            "pointer": .text(answer.pointer), "purpose": .text(printable(answer.purpose)),
            "value": .text(answer.value.rawValue),
        ]
        if let age = answer.age { object["age"] = .int(Int(age.components.seconds)) }
        if let overdue = answer.overdue { object["overdue"] = .int(Int(overdue.components.seconds)) }
        return .object(object)
    }

    /// The explanation as lines: the file, the result of each stage, the facts and the verdict, then the meaning and
    /// the remedy of each reason. No line names a claim.
    package var explanation: [String] { [file] + course + outcome }

    /// The lines of ``explanation`` without the results of the stages.
    package var summary: [String] { [file] + outcome }

    private var course: [String] {
        var lines: [String] = []
        let failed = verdict.isAccepted ? nil : stages.last?.stage
        for time in stages {
            let mark = time.stage == failed ? "FAILED" : "ok    "
            lines.append("  \(mark)  \(time.stage.title) (\(time.microseconds) µs)")
            if time.stage == .policy { lines += verdict.ruleNotes.map { "          \($0.sentence)" } }
        }
        let reached = Set(stages.map(\.stage))
        if failed != nil {
            for stage in Stage.allCases where !reached.contains(stage) && stage > (failed ?? .policy) {
                lines.append("  –       \(stage.title): not reached")
            }
        }
        return lines
    }

    private var outcome: [String] {
        var lines = Self.facts(of: verdict).map { "  " + $0 }
        lines.append("  policy   \(verdict.policy)" + (policyOrigin.map { ", \($0)" } ?? ""))
        lines.append("  " + (verdict.isAccepted ? "ACCEPTED" : "REJECTED") + " (\(verdict.code))")
        for reason in verdict.reasons {
            let place = reason.pointer.map { " at \($0)" } ?? ""
            lines.append("    \(reason.severity.rawValue) \(reason.code)\(place): \(reason.code.meaning)")
            if let detail = reason.detail { lines.append("      (\(detail.word)) \(detail.sentence)") }
            if reason.severity != .info { lines.append("      → \(reason.detail?.remedy ?? reason.code.remedy)") }
        }
        return lines
    }

    private static func facts(of verdict: Verdict) -> [String] {
        var facts: [String] = []
        if let format = verdict.format { facts.append("format   \(format.rawValue)") }
        for credential in verdict.decisive {
            if !credential.place.isEmpty { facts.append("decided  " + name(of: credential)) }
            if let issuer = credential.issuer { facts.append("issuer   \(printable(issuer))") }
            if !credential.types.isEmpty {
                facts.append("types    " + credential.types.map(printable).joined(separator: ", "))
            }
            if let from = credential.validFrom { facts.append("from     \(from.rfc3339)") }
            if let until = credential.validUntil { facts.append("until    \(until.rfc3339)") }
        }
        for credential in verdict.others {
            let words = (credential.issuer.map { [$0] } ?? []) + credential.types
            facts.append("besides  " + ([name(of: credential)] + words.map(printable)).joined(separator: ", "))
        }
        if let context = verdict.proofContext {
            facts.append("proof    matched under the \(context.rawValue)'s context")
        }
        for answer in verdict.status { facts.append("status   " + words(of: answer)) }
        if let format = verdict.unsupported { facts.append("payload  is \(format.title)") }
        for url in verdict.missing { facts.append("missing  context \(printable(url))") }
        facts.append("trust    \(verdict.trust)")
        return facts
    }

    /// Returns the place and the format of a credential, such as `/verifiableCredential/1 (ldp_vc)`.
    private static func name(of credential: CredentialSummary) -> String {
        credential.place + (credential.format.map { " (\($0.rawValue))" } ?? "")
    }

    /// Returns a status answer as text, such as `revocation: valid by a list of 3 h ago, overdue for 10 min`.
    private static func words(of answer: StatusAnswer) -> String {
        var words = "\(printable(answer.purpose)): \(answer.value.rawValue)"
        if let age = answer.age { words += " by a list of \(rounded(age)) ago" }
        if let overdue = answer.overdue { words += ", overdue for \(rounded(overdue))" }
        return words
    }

    /// Returns a duration in the largest unit (days, hours, minutes or seconds) of which the duration has at least two.
    private static func rounded(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        let unit = [(86_400, "d"), (3600, "h"), (60, "min")].first { abs(seconds) >= 2 * $0.0 } ?? (1, "s")
        return "\(seconds / Int64(unit.0)) \(unit.1)"
    }

    /// Returns text from a credential for a terminal. Control characters are replaced, and at most 200 Unicode scalars
    /// are kept.
    private static func printable(_ text: Text) -> String {
        let scalars = text.string.unicodeScalars.prefix(200).map { scalar in
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.properties.generalCategory == .format
            return Character(isControl ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }
}

extension Stage {
    /// The stage in plain words.
    package var title: String {
        switch self {
        case .input: "size of the payload"
        case .syntax: "syntax"
        case .envelope: "what the wallet sent, and its format"
        case .shape: "members of the data model"
        case .validity: "validity at the gate's clock"
        case .issuer: "issuer in the trust list"
        case .contexts: "pinned contexts and their terms"
        case .key: "the issuer's key and its permission"
        case .proof: "signature"
        case .claims: "claims outside the signature"
        case .status: "revocation and suspension"
        case .holder: "the holder's proof"
        case .replay: "presented recently?"
        case .policy: "the gate's own rules"
        }
    }
}
