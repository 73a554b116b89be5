import Encoding

@testable import Credentials

extension Disguise {
    /// Writes numbers, and texts of dates and whole numbers, in other digits.
    static func digits(of showing: Showing) -> [Disguise] {
        guard case .json(let value) = showing.body else { return [] }
        return scalars(in: value).prefix(24).flatMap { place, scalar -> [Disguise] in
            spellings(of: scalar).map { spelling in
                Disguise("\(place) as \(spelling.compactText.prefix(40))") {
                    showing.with(value.replacing(place, by: spelling))
                }
            }
        }
    }

    private static func spellings(of scalar: JSON) -> [JSON] {
        switch scalar {
        case .number(let number):
            let text = number.text
            let isWhole = number.int != nil
            let numbers =
                isWhole
                ? [
                    "\(text).0", "\(text)e0", "\(text)E+0", "\(text)0e-1", "\(text).00000000000000000001",
                    "\(text)00.0E-2",
                ]
                : ["\(text)0", "\(text)e0", "\(text)00000000000000000001"]
            return numbers.map { .number(JSONNumber(validated: $0)) } + [.text(text), [scalar]]
        case .string(let text) where Timestamp(rfc3339: text.string) != nil:
            let stem = text.string.dropLast()
            return ["\(stem).000Z", "\(stem)+00:00", "\(stem)z", "\(stem)-00:00", " \(text.string)"].map { .text($0) }
        case .string(let text):
            guard Int(text.string) != nil else { return [] }
            return [.number(JSONNumber(validated: text.string)), .text("0" + text.string), .text(text.string + ".0")]
        case .bool(let flag): return [.text(flag ? "true" : "false"), .int(flag ? 1 : 0)]
        default: return []
        }
    }

    private static func scalars(in value: JSON, at place: JSONPlace = JSONPlace()) -> [(JSONPlace, JSON)] {
        switch value {
        case .object(let object):
            object.members.filter { $0.name != "@context" }.flatMap { scalars(in: $0.value, at: place / $0.name) }
        case .array(let elements): elements.enumerated().flatMap { scalars(in: $1, at: place / $0) }
        default: spellings(of: value).isEmpty ? [] : [(place, value)]
        }
    }

    /// Reorders arrays, duplicates an element, wraps one value in an array, or removes the array around it.
    static func orders(of showing: Showing) -> [Disguise] {
        guard case .json(let value) = showing.body else { return [] }
        return values(in: value).prefix(48).flatMap { place, inner -> [Disguise] in
            func changed(
                _ name: String, takesAway: Bool = false, company: Company = .none,
                _ make: @escaping @Sendable () -> JSON
            ) -> Disguise {
                Disguise("\(place) \(name)", takesAway: takesAway, company: company) {
                    showing.with(value.replacing(place, by: make()))
                }
            }
            // The first valid credential of a presentation is the one that opens the gate.
            let company: Company = "\(place)" == "/verifiableCredential" ? .presentation : .none
            guard let elements = inner.array else {
                return [changed("in an array") { [inner] }, changed("in two arrays") { [[inner]] }]
            }
            let around = [changed("in another array") { [inner] }, changed("empty", takesAway: true) { [] }]
            guard let last = elements.last else { return around }
            return around + [
                changed("reversed", company: company) { .array(elements.reversed()) },
                changed("rotated", company: company) { .array([last] + elements.dropLast()) },
                changed("with the last twice") { .array(elements + [last]) },
                changed("with null") { .array(elements + [nil]) },
                changed("its last alone", takesAway: true) { last },
                changed("without its last", takesAway: true) { .array(Array(elements.dropLast())) },
            ]
        }
    }

    private static func values(in value: JSON, at place: JSONPlace = JSONPlace()) -> [(JSONPlace, JSON)] {
        switch value {
        case .object(let object):
            object.members.flatMap { [(place / $0.name, $0.value)] + values(in: $0.value, at: place / $0.name) }
        case .array(let elements): elements.enumerated().flatMap { values(in: $1, at: place / $0) }
        default: []
        }
    }

    /// Adds unsigned contexts: pinned contexts, and contexts that the holder writes.
    static func contexts(of showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        guard case .json(let value) = showing.body else { return [] }
        let own: [JSON] = [
            [:], nil, [], ["@propagate": false], ["@propagate": true], ["@vocab": "https://other.example/#"],
            ["@protected": true], ["type": "@type", "id": "@id"], ["validUntil": nil], ["credentialStatus": nil],
            ["validUntil": "https://other.example/#end", "expirationDate": "https://other.example/#end"],
            ["level": "https://other.example/#level"],
        ]
        let all = kit.contexts.map { JSON.string($0) } + own
        return places(in: value).prefix(6).flatMap { place -> [Disguise] in
            guard let node = value.value(at: place)?.object else { return [] }
            let present = node["@context"]?.elements ?? []
            return all.flatMap { context -> [Disguise] in
                func changed(_ name: String, _ contexts: [JSON]) -> Disguise {
                    Disguise("\(place) context \(name) \(context.compactText.prefix(60))") {
                        // The contexts are at the front, as in a usual document.
                        let members = [.init("@context", .array(contexts))] + node.without("@context").members
                        return showing.with(value.replacing(place, by: .object(JSONObject(members))))
                    }
                }
                guard !present.isEmpty else { return [changed("added", [context])] }
                return [
                    changed("appended", present + [context]), changed("prepended", [context] + present),
                    changed("before the last", present.dropLast() + [context] + present.suffix(1)),
                ]
            }
        }
    }
}
