import Encoding

@testable import Credentials

extension ConfusionTwin {
    /// Returns credentials, rules and presentations of one suite.
    static func linkedData(_ suite: GraphSigner.Suite) throws -> [ConfusionTwin] {
        let twins = try RespellingTwins(suite)
        let others = try (twins.credentials() + twins.ruled() + twins.presentations()).compactMap {
            twin -> ConfusionTwin? in
            // Rules compare a signed text as written, and not as the IRI that its context gives.
            if suite.isText, twin.name.hasSuffix("denied kind") { return nil }
            if suite == .ecdsaSD2023, twin.name.hasSuffix("rule fulfilled") { return nil }
            var twin = twin
            twin.pinsExchange = false
            let (material, policy) = try twin.gate(SecondContext(for: [], twin.respeller.processor))
            let whole = material.withStrangers
            let kit = try DisguiseKit(
                try whole.contexts.mapValues { try JSON.parse($0) }, demand: twin.demand, at: RespellingTwin.clock,
                other: try twins.issuer.sign(twins.template.with("id", "urn:uuid:other")))
            let plain = PlainCase(
                twin.name, Showing(.json(twin.document)), Verifier(trust: try TrustStore(whole), policy: policy), kit,
                clock: RespellingTwin.clock)
            return ConfusionTwin(plain: plain, code: twin.code)
        }
        var material = TrustMaterial(issuers: [TrustedIssuer(id: twins.issuer.id)])
        material.issuers[0].takesArraysWhole = true
        material.contexts = twins.issuer.contexts.mapValues(\.compactBytes)
        let maker = try TwinMaker(
            suite.rawValue, material, clock: RespellingTwin.clock, root: "/credentialSubject/")
        let good = try twins.issuer.sign(twins.template).compactBytes
        let states = TwinState.ruled(subject: twins.holder.id, type: "https://works.example/ns#StaffPass")
            // If a holder may withhold statements, a name is ambiguous as soon as another pinned context maps the name
            // to another property.
            .filter { suite != .ecdsaSD2023 || $0.name != "good, by its level" }
        let ruled = try states.map { try maker.twin(good, $0) }
        guard suite.isText else { return others + ruled }
        // No proof covers contexts after those that the proof repeats; the lenient profile accepts them.
        var lenient = try TwinMaker(
            suite.rawValue + " with contexts", material, clock: RespellingTwin.clock, root: "/credentialSubject/")
        lenient.profile = .compat
        let repeating = try twins.issuer.sign(twins.template) { $0["@context"] = twins.template["@context"] }
        return others + ruled + (try states.map { try lenient.twin(repeating.compactBytes, $0) })
    }
}
