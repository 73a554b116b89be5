import Encoding

// The JSON form of an outcome. The order of its members is fixed, and absent values have no member, so equal outcomes
// have equal bytes.
extension Outcome {
    /// The members of a record that describe the outcome, in order.
    var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            .init("result", .text(result.rawValue)),
            .init("reasons", .array(reasons.map(\.json))),
            .init("credential", credential?.json ?? .null),
            .init("session", session?.json ?? .null),
            .init("gate", gate?.json(pulse: "pulseMs") ?? .null),
            .init("software", software.json),
        ]
        if !others.isEmpty { members.append(.init("others", .array(others.map(\.json)))) }
        if repeated > 0 { members.append(.init("repeated", .int(repeated))) }
        if let span = repeatedSpan {
            members.append(.init("repeatedFrom", span.lowerBound.json))
            members.append(.init("repeatedTo", span.upperBound.json))
        }
        return members + succession
    }

    /// The members that describe the replaced ledger. Only the first record of a new ledger has these members.
    var succession: [JSONObject.Member] {
        (predecessor.map { [.init("predecessor", $0.json)] } ?? [])
            + (finding.map { [.init("finding", .string($0))] } ?? [])
    }

    init(_ fields: RecordFields) throws(RecordError) {
        guard let result = Result(rawValue: try fields.text("result").string) else {
            throw RecordError(member: "result")
        }
        var reasons: [Reason] = []
        for element in try fields.array("reasons") {
            let reason = try RecordFields(element, "reasons")
            reasons.append(Reason(try reason.text("code"), pointer: try reason.textIfPresent("pointer")))
        }
        self.init(
            result, reasons: reasons, credential: try Credential(fields.object("credential")),
            session: try Session(fields.object("session")), gate: try Gate(fields.object("gate")),
            software: try Software(fields.object("software")))
        for element in try fields.arrayIfPresent("others") {
            guard let other = try Credential(RecordFields(element, "others")) else {
                throw RecordError(member: "others")
            }
            others.append(other)
        }
        repeated = try fields.figureIfPresent("repeated", upTo: Self.mostRepeated) ?? 0
        if let from = try fields.instantIfPresent("repeatedFrom") {
            guard let to = try fields.instantIfPresent("repeatedTo"), from <= to else {
                throw RecordError(member: "repeatedTo")
            }
            repeatedSpan = from...to
        }
        predecessor = try Predecessor(fields.objectIfPresent("predecessor"))
        finding = try fields.textIfPresent("finding")
    }

    /// Returns the outcome with its texts and lists truncated to `limits`. So a record has at most a few kilobytes,
    /// whatever a stranger sent.
    package func clipped(to limits: LedgerLimits) -> Outcome {
        var copy = self
        copy.reasons = reasons.prefix(limits.reasons).map { reason in
            Reason(
                LedgerLimits.clip(reason.code, to: limits.codeBytes),
                pointer: reason.pointer.map { LedgerLimits.clip($0, to: limits.identifierBytes) })
        }
        copy.repeated = min(max(0, repeated), Self.mostRepeated)
        copy.credential = credential?.clipped(to: limits)
        var short = limits
        short.types = limits.otherTypes
        copy.others = others.prefix(limits.others).map { $0.clipped(to: short) }
        copy.session?.transport = LedgerLimits.clip(session?.transport ?? "", to: limits.codeBytes)
        copy.software.name = LedgerLimits.clip(software.name, to: limits.codeBytes)
        copy.software.version = LedgerLimits.clip(software.version, to: limits.codeBytes)
        copy.software.trust = software.trust.map { LedgerLimits.clip($0, to: limits.codeBytes) }
        copy.software.policy = software.policy.map { LedgerLimits.clip($0, to: limits.codeBytes) }
        copy.predecessor?.ledger = LedgerLimits.clip(predecessor?.ledger ?? "", to: limits.codeBytes)
        copy.finding = finding.map { LedgerLimits.clip($0, to: limits.identifierBytes) }
        return copy
    }
}

extension Outcome.Reason {
    var json: JSON { .object(JSONObject(optional: [("code", .string(code)), ("pointer", pointer.map(JSON.string))])) }
}

extension Outcome.Credential {
    var json: JSON {
        .object(
            JSONObject(optional: [
                ("format", .string(format)),
                ("issuer", issuer.map(JSON.string)),
                ("types", .array(types.map(JSON.string))),
                ("digest", oldDigest.map(JSON.string)),
                ("name", name.map(JSON.string)),
                ("validFrom", validFrom.map(json)),
                ("validUntil", validUntil.map(json)),
            ]))
    }

    private func json(_ date: Timestamp) -> JSON {
        .text(oldDigest == nil ? date.recordSecond : date.recordText)
    }

    init?(_ fields: RecordFields?) throws(RecordError) {
        guard let fields else { return nil }
        var types: [Text] = []
        for element in try fields.array("types") {
            guard let type = element.string else { throw RecordError(member: "types") }
            types.append(type)
        }
        self.init(
            try fields.text("format"), try fields.textIfPresent("issuer"), types, try fields.textIfPresent("name"),
            try fields.timestampIfPresent("validFrom"), try fields.timestampIfPresent("validUntil"),
            oldDigest: try fields.textIfPresent("digest"))
    }

    func clipped(to limits: LedgerLimits) -> Outcome.Credential {
        Outcome.Credential(
            LedgerLimits.clip(format, to: limits.codeBytes),
            issuer.map { LedgerLimits.clip($0, to: limits.identifierBytes) },
            types.prefix(limits.types).map { LedgerLimits.clip($0, to: limits.identifierBytes) },
            name.map { LedgerLimits.clip($0, to: limits.codeBytes) }, validFrom, validUntil,
            oldDigest: oldDigest.map { LedgerLimits.clip($0, to: limits.codeBytes) })
    }
}

extension Outcome.Session {
    var json: JSON {
        [
            "transport": .string(transport), "ms": .int(milliseconds), "chunks": .int(chunks),
            "crcErrors": .int(crcErrors), "retries": .int(retries),
        ]
    }

    init?(_ fields: RecordFields?) throws(RecordError) {
        guard let fields else { return nil }
        self.init(
            transport: try fields.text("transport"), milliseconds: try fields.int("ms"),
            chunks: try fields.int("chunks"), crcErrors: try fields.int("crcErrors"),
            retries: try fields.int("retries"))
    }
}

extension Outcome.Gate {
    /// Returns the JSON form. `pulse`: the name of the member with the duration, which is `pulseMs` in records and
    /// another name in reports.
    func json(pulse: Text) -> JSON {
        .object(
            JSONObject(optional: [
                ("opened", .bool(opened)), (pulse, .int(pulseMilliseconds)), ("passage", passage.map(JSON.bool)),
            ]))
    }

    init?(_ fields: RecordFields?) throws(RecordError) {
        guard let fields else { return nil }
        self.init(
            opened: try fields.bool("opened"), pulseMilliseconds: try fields.int("pulseMs"),
            passage: try fields.boolIfPresent("passage"))
    }
}

extension Outcome.Software {
    var json: JSON {
        .object(
            JSONObject(optional: [
                ("name", .string(name)), ("version", .string(version)), ("trust", trust.map(JSON.string)),
                ("policy", policy.map(JSON.string)),
            ]))
    }

    init(_ fields: RecordFields?) throws(RecordError) {
        guard let fields else { throw RecordError(member: "software") }
        self.init(
            name: try fields.text("name"), version: try fields.text("version"),
            trust: try fields.textIfPresent("trust"), policy: try fields.textIfPresent("policy"))
    }
}

extension JSONObject {
    /// Creates an object from those members whose value is not nil.
    init(optional members: [(Text, JSON?)]) {
        self.init(members.compactMap { name, value in value.map { Member(name, $0) } })
    }
}
