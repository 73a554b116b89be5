import Encoding

/// The place of a value in a JSON document.
struct JSONPlace: Hashable, CustomStringConvertible {
    enum Step: Hashable {
        case member(Text)
        case element(Int)
    }

    var steps: [Step] = []

    static func / (place: JSONPlace, name: Text) -> JSONPlace { JSONPlace(steps: place.steps + [.member(name)]) }
    static func / (place: JSONPlace, index: Int) -> JSONPlace { JSONPlace(steps: place.steps + [.element(index)]) }

    var description: String {
        steps.map {
            switch $0 {
            case .member(let name): "/" + name.string
            case .element(let index): "/\(index)"
            }
        }.joined()
    }
}

extension JSON {
    /// Returns the value at a place.
    func value(at place: JSONPlace) -> JSON? { value(at: place.steps[...]) }

    private func value(at steps: ArraySlice<JSONPlace.Step>) -> JSON? {
        switch steps.first {
        case nil: return self
        case .member(let name)?: return self[name]?.value(at: steps.dropFirst())
        case .element(let index)?:
            guard let array, array.indices.contains(index) else { return nil }
            return array[index].value(at: steps.dropFirst())
        }
    }

    /// Returns the document with another value at a place; a place that does not exist changes nothing.
    func replacing(_ place: JSONPlace, by value: JSON) -> JSON { replacing(place.steps[...], by: value) }

    private func replacing(_ steps: ArraySlice<JSONPlace.Step>, by value: JSON) -> JSON {
        switch (steps.first, self) {
        case (nil, _): return value
        case (.member(let name)?, .object(var object)):
            guard let inner = object[name] else { return self }
            object[name] = inner.replacing(steps.dropFirst(), by: value)
            return .object(object)
        case (.element(let index)?, .array(var elements)) where elements.indices.contains(index):
            elements[index] = elements[index].replacing(steps.dropFirst(), by: value)
            return .array(elements)
        default: return self
        }
    }

    /// The elements of an array, or the value itself as the only element.
    var elements: [JSON] { array ?? [self] }

    /// Returns an array, or the value itself if there is only one.
    static func several(_ values: ArraySlice<JSON>) -> JSON {
        values.count == 1 ? values[values.startIndex] : .array(Array(values))
    }
}

extension JSONObject {
    /// Returns the members without the named one.
    func without(_ name: Text) -> JSONObject {
        var copy = self
        copy[name] = nil
        return copy
    }

    /// Returns the members with this one added.
    func with(_ name: Text, _ value: JSON?) -> JSONObject {
        var copy = self
        copy[name] = value
        return copy
    }

    /// Returns the members with one of them renamed, at its old place.
    func renaming(_ name: Text, to other: Text, _ value: JSON? = nil) -> JSONObject {
        JSONObject(members.map { $0.name == name ? .init(other, value ?? $0.value) : $0 })
    }
}
