import Encoding
import LinkedData

/// The meaning of one member: the IRI of its property, and its values in expanded form, which mean the same under any
/// context.
struct Meaning {
    let property: Text
    let values: [JSON]

    /// The values as one JSON value.
    var value: JSON { .array(values) }

    /// Finds the meaning by removing the member. The meaning is the part that is then missing in the expansion.
    init?(of name: Text, in node: JSONObject, at place: JSONPlace, of part: SignedPart, _ processor: JSONLDProcessor) {
        let whole = JSON.object(part.node)
        guard let less = whole.replacing(place, by: .object(node.without(name))).object,
            let full = try? processor.expand(part.document(part.node)).value,
            let rest = try? processor.expand(part.document(less)).value
        else { return nil }
        guard let found = Self.lacking(full, rest) else { return nil }
        (property, values) = found
    }

    private static func lacking(_ full: JSON, _ rest: JSON) -> (Text, [JSON])? {
        switch (full, rest) {
        case (.array(let all), .array(let some)) where all.count == some.count:
            guard let (left, right) = zip(all, some).first(where: { $0 != $1 }) else { return nil }
            return lacking(left, right)
        case (.object(let all), .object(let some)):
            for member in all.members where some[member.name] != member.value {
                let others = some[member.name]?.array ?? []
                if some[member.name] != nil, others.count == member.value.array?.count {
                    return lacking(member.value, .array(others))
                }
                guard !member.name.hasPrefix("@"), let all = member.value.array else { return nil }
                return (member.name, all.filter { !others.contains($0) })
            }
            return nil
        default: return nil
        }
    }
}
