import Encoding
import LinkedData
import TestKit

@testable import Credentials

/// An ecdsa-sd-2023 credential with mandatory values and values that the holder may withhold: whole
/// properties, or one of several values, of claims, types, subjects, dates and status.
struct WithheldStatements {
    /// One value of a property: its form in the document and in the statements, and whether the holder must
    /// show it.
    private struct Value {
        let name: Text
        let json: JSON
        let matches: @Sendable (Quad) -> Bool
        var isMandatory = true
        var isSubjects = true
    }

    static func trial(_ seed: Int) throws -> (WithheldTrial, [String]) {
        var generator = FixedGenerator(state: UInt64(seed))
        var twins = try RespellingTwins(.ecdsaSD2023)
        var values = self.values(&generator)
        // If an issuer's entry states so, a property is mandatory as a whole or not at all.
        let takesWhole = seed % 3 == 0
        var optional = 0
        for name in Set(values.map(\.name)).sorted() {
            // The choice is made for the property, or for each value separately.
            let isWhole = Bool.random(using: &generator) || takesWhole
            let all = Bool.random(using: &generator)
            for index in values.indices where values[index].name == name {
                values[index].isMandatory = isWhole ? all : Bool.random(using: &generator)
                // The suite treats all types of a node together, and one type and one subject are already mandatory.
                if name == "type" || takesWhole && name == "credentialSubject" { values[index].isMandatory = true }
                if !values[index].isMandatory { optional += 1 }
            }
        }
        guard optional <= 5 else { return try trial(seed + 1_000_000) }
        let choices = values.filter { !$0.isMandatory }
        twins.issuer.isOptional = { quad in choices.contains { $0.matches(quad) } }
        var material = TrustMaterial(issuers: [TrustedIssuer(id: twins.issuer.id)])
        material.issuers[0].takesArraysWhole = takesWhole
        material.contexts = twins.issuer.contexts.mapValues(\.compactBytes)
        for (name, isSet) in [("clean", false), ("dirty", true)] {
            let (url, list) = try RespellingTwins(.eddsaRDFC2022).list(name, set: isSet)
            material.statusLists[url] = list.compactBytes
        }
        material.issuers[0].statusIssuers = [try RespellingTwins(.eddsaRDFC2022).issuer.id]
        let (all, fixed) = (values, twins)
        let words = all.map { "\($0.name) \($0.json.compactText)\($0.isMandatory ? "" : "?")" }.joined(separator: " ")
        let trial = WithheldTrial(
            name: "ecdsa-sd-2023 \(seed) \(words)", parts: choices.count, material: material,
            clock: RespellingTwin.clock
        ) { mask in
            var number: UInt = 0
            let shown = all.filter { value in
                if value.isMandatory { return true }
                defer { number += 1 }
                return mask >> number & 1 == 1
            }
            return try fixed.issuer.sign(document(shown, of: all, fixed)).compactBytes
        }
        let rules = ChanceRules(
            root: "/credentialSubject/", subject: "did:example:lost", type: "https://works.example/ns#Visitor")
        return (trial, rules.make(12, &generator))
    }

    /// Returns the credential's values, one by one.
    private static func values(_ generator: inout FixedGenerator) -> [Value] {
        let ns: Text = "https://works.example/ns#"
        func literal(_ name: Text, _ property: String, _ json: JSON) -> Value {
            let text: Text =
                switch json {
                case .string(let text): text
                default: Text(json.compactText)
                }
            return Value(name: name, json: json) { quad in
                guard case .literal(let literal) = quad.object else { return false }
                return quad.predicate == Text(ns.string + property) && literal.value == text
            }
        }
        func node(_ name: Text, _ id: Text, _ json: JSON) -> Value {
            Value(
                name: name, json: json, matches: { $0.subject == .iri(id) || $0.object == .iri(id) }, isSubjects: false)
        }
        func date(_ name: Text, _ text: Text) -> Value {
            Value(
                name: name, json: .string(text),
                matches: { $0.predicate == Text("https://www.w3.org/2018/credentials#" + name.string) },
                isSubjects: false)
        }
        var all = [
            literal("level", "level", 3), literal("level", "level", 5), literal("zones", "zone", "north"),
            literal("zones", "zone", "south"), literal("callName", "name", "AB-1"), literal("grade", "grade", 3),
            date("validFrom", "2026-12-01T00:00:00Z"), date("validUntil", "2026-02-01T00:00:00Z"),
            node("credentialSubject", "did:example:lost", ["id": "did:example:lost", "level": 7]),
            Value(
                name: "type", json: "Visitor", matches: { $0.object == .iri("https://works.example/ns#Visitor") },
                isSubjects: false),
        ]
        for list in ["clean", "dirty"] {
            all.append(
                node("credentialStatus", Text(RespellingTwins.status.string + list + "#7"), RespellingTwins.entry(list))
            )
        }
        return all.filter { _ in Int.random(in: 0..<5, using: &generator) < 2 }
    }

    private static func document(_ values: [Value], of all: [Value], _ twins: RespellingTwins) -> JSONObject {
        func several(_ name: Text) -> [JSON] { values.filter { $0.name == name }.map(\.json) }
        var subject: JSONObject = ["id": .string(twins.holder.id)]
        for name in Set(values.filter(\.isSubjects).map(\.name)).sorted() {
            subject[name] = .several(several(name)[...])
        }
        var document = twins.template
        document["credentialSubject"] = .several(([.object(subject)] + several("credentialSubject"))[...])
        document["type"] = .array(["VerifiableCredential", "StaffPass"] + several("type"))
        let status = several("credentialStatus")
        if !status.isEmpty { document["credentialStatus"] = .several(status[...]) }
        // A date in this credential replaces the date that all credentials have, even if it is withheld.
        for name in ["validFrom", "validUntil"] as [Text] where all.contains(where: { $0.name == name }) {
            document[name] = several(name).first
        }
        return document
    }
}
