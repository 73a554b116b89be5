import Encoding

extension Disguise {
    /// Writes the same JSON text in other characters, and with duplicate names.
    static func serialisations(of showing: Showing) -> [Disguise] {
        guard case .json(let value) = showing.body else { return [] }
        let styles: [(String, JSONStyle)] = [
            ("spaces", JSONStyle(space: " ")), ("line ends and tabs", JSONStyle(space: "\r\n\t")),
            ("escaped letters", JSONStyle(escapes: .all)), ("escaped names", JSONStyle(escapes: .names)),
            ("escaped values", JSONStyle(escapes: .values)), ("escaped solidus", JSONStyle(escapes: .solidus)),
            ("members reversed", JSONStyle(order: .reversed)), ("members sorted", JSONStyle(order: .sorted)),
            ("upper-case escapes", JSONStyle(escapes: .all, isUpper: true)),
            ("a space that JSON does not know", JSONStyle(space: "\u{A0}")), ("comments", JSONStyle(space: "/**/")),
        ]
        return styles.map { name, style in
            Disguise("serialised with \(name)") { showing.with(style.bytes(of: value)) }
        } + repeated(in: value, showing)
    }

    private static func repeated(in value: JSON, _ showing: Showing) -> [Disguise] {
        places(in: value).flatMap { place -> [Disguise] in
            guard let object = value.value(at: place)?.object, !object.isEmpty, place.steps.count < 3 else { return [] }
            return object.members.prefix(24).flatMap { member -> [Disguise] in
                func twin(_ name: String, _ make: @escaping @Sendable (JSON) -> [JSONObject.Member]) -> Disguise {
                    Disguise("\(place)/\(member.name.string) \(name)") {
                        showing.with(JSONStyle(repeating: make(.object(object)), at: place).bytes(of: value))
                    }
                }
                return [
                    twin("twice") { _ in [member] }, twin("twice, then null") { _ in [.init(member.name, nil)] },
                    twin("twice, then empty") { _ in [.init(member.name, [])] },
                ]
            }
        }
    }

    /// Returns the places of all objects of a document, the outermost first.
    static func places(in value: JSON, at place: JSONPlace = JSONPlace()) -> [JSONPlace] {
        switch value {
        case .object(let object):
            [place]
                + object.members.filter { $0.name != "@context" }.flatMap { places(in: $0.value, at: place / $0.name) }
        case .array(let elements): elements.enumerated().flatMap { places(in: $1, at: place / $0) }
        default: []
        }
    }
}

/// A way of writing JSON.
struct JSONStyle: Sendable {
    enum Escapes: Sendable { case none, names, values, all, solidus }
    enum Order: Sendable { case own, reversed, sorted }

    /// The whitespace between two tokens.
    var space = ""
    var escapes = Escapes.none
    var isUpper = false
    var order = Order.own
    /// Additional members at the end of an object, whatever their names.
    var repeating: [JSONObject.Member] = []
    var at: JSONPlace?

    func bytes(of value: JSON) -> [UInt8] {
        var output: [UInt8] = []
        write(value, at: JSONPlace(), into: &output)
        return output
    }

    private func write(_ value: JSON, at place: JSONPlace, into output: inout [UInt8]) {
        let space = Array(space.utf8)
        func item(_ isFirst: Bool) { output += (isFirst ? [] : [UInt8(ascii: ",")]) + space }
        switch value {
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (index, member) in (ordered(object.members) + (place == at ? repeating : [])).enumerated() {
                item(index == 0)
                write(member.name, escaped: [.names, .all].contains(escapes), into: &output)
                output += space + [UInt8(ascii: ":")] + space
                write(member.value, at: at == nil ? place : place / member.name, into: &output)
            }
            output += space + [UInt8(ascii: "}")]
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                item(index == 0)
                write(element, at: at == nil ? place : place / index, into: &output)
            }
            output += space + [UInt8(ascii: "]")]
        case .string(let text): write(text, escaped: [.values, .all].contains(escapes), into: &output)
        default: output += value.compactBytes
        }
    }

    private func ordered(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        switch order {
        case .own: members
        case .reversed: members.reversed()
        case .sorted: members.sorted { $0.name < $1.name }
        }
    }

    private func write(_ text: Text, escaped: Bool, into output: inout [UInt8]) {
        if escaped {
            output.append(UInt8(ascii: "\""))
            for unit in text.string.utf16.prefix(8192) {
                let digits = Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)])
                output += Array("\\u".utf8) + Array((isUpper ? digits.uppercased() : digits).utf8)
            }
            // A long text need not be escaped to its end.
            let rest = String(decoding: text.string.utf16.dropFirst(8192), as: UTF16.self)
            output += JSON.text(rest).compactBytes.dropFirst()
            return
        }
        let plain = JSON.string(text).compactBytes
        guard escapes == .solidus else { return output += plain }
        output += plain.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
    }
}
