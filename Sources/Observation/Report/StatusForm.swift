import Encoding
import Kiosk

/// How values of one type are written as JSON and read from it. The reader returns nil for other JSON, which another
/// version of the program may have written.
struct StatusForm<Value>: Sendable {
    let write: @Sendable (Value) -> JSON
    let read: @Sendable (JSON) -> Value?
    /// The paths of the members inside the value, at all depths, such as `code` or `next.days`.
    var paths: Set<Text> = []
}

extension StatusForm where Value == Int {
    static var int: Self { .init(write: JSON.int, read: \.int) }
}

extension StatusForm where Value == Bool {
    static var flag: Self { .init(write: JSON.bool, read: \.bool) }
}

extension StatusForm where Value == Text {
    static var text: Self { .init(write: JSON.string, read: \.string) }
}

extension StatusForm where Value == String {
    /// A text for people.
    static var prose: Self { .init(write: JSON.text, read: \.string?.string) }
}

extension StatusForm where Value == JSON {
    /// Any JSON, which is not changed: a document from another program.
    static var json: Self { .init(write: { $0 }, read: { $0 }) }
}

extension StatusForm where Value == Timestamp {
    /// A date in RFC 3339, in UTC and with milliseconds.
    static var date: Self {
        .init(write: { .text($0.rfc3339) }, read: { $0.string.flatMap { Timestamp(rfc3339: $0.string) } })
    }
}

extension StatusForm where Value: RawRepresentable & Sendable, Value.RawValue == String {
    /// A word of a fixed list.
    static var word: Self {
        .init(write: { .text($0.rawValue) }, read: { $0.string.flatMap { Value(rawValue: $0.string) } })
    }
}

extension StatusForm where Value: StatusObject {
    /// An object with its own table of members.
    static var part: Self {
        .init(write: \.json, read: { $0.object == nil ? nil : Value($0) }, paths: Value.memberPaths)
    }
}

extension StatusForm {
    /// A list. The reader leaves out elements that it cannot read.
    static func list<Element>(_ form: StatusForm<Element>) -> Self where Value == [Element] {
        .init(write: { .array($0.map(form.write)) }, read: { $0.array?.compactMap(form.read) }, paths: form.paths)
    }

    /// A value or `null`.
    static func orNull<Wrapped>(_ form: StatusForm<Wrapped>) -> Self where Value == Wrapped? {
        .init(
            write: { $0.map(form.write) ?? .null },
            read: { $0.isNull ? .some(nil) : form.read($0).map(Optional.some) },
            paths: form.paths)
    }

    /// An object whose names are data, written in byte order. The reader leaves out values that it cannot read.
    static func table<Element>(_ form: StatusForm<Element>) -> Self where Value == [Text: Element] {
        .init(
            write: { table in
                .object(JSONObject(table.sorted { $0.key < $1.key }.map { .init($0.key, form.write($0.value)) }))
            },
            read: { json in
                json.object.map { object in
                    let values = object.members.compactMap { member in
                        form.read(member.value).map { (member.name, $0) }
                    }
                    return Dictionary(values) { $1 }
                }
            }, paths: form.paths)
    }
}

extension StatusForm where Value == [DoorInput: Bool?] {
    /// An object with a member for each wired input. The member is `null` if the input cannot be read.
    static var inputs: Self {
        let level = StatusForm<Bool?>.orNull(.flag)
        return .init(
            write: { inputs in
                .object(
                    JSONObject(
                        DoorInput.allCases.compactMap { input in
                            inputs[input].map { .init(Text(input.rawValue), level.write($0)) }
                        }))
            },
            read: { json in
                json.object.map { object in
                    DoorInput.allCases.reduce(into: [:]) { inputs, input in
                        guard let value = object[Text(input.rawValue)].flatMap(level.read) else { return }
                        inputs.updateValue(value, forKey: input)
                    }
                }
            })
    }
}

extension StatusForm where Value == Histogram {
    /// An object with the bounds, the counts and the sum of a histogram.
    static var histogram: Self {
        let (bounds, counts, sum): (Text, Text, Text) = ("bounds", "counts", "sum")
        let list = StatusForm<[Int]>.list(.int)
        return .init(
            write: { .object([bounds: list.write($0.bounds), counts: list.write($0.counts), sum: .int($0.sum)]) },
            read: { json in
                guard let limits = json[bounds].flatMap(list.read), let numbers = json[counts].flatMap(list.read),
                    let total = json[sum]?.int
                else { return nil }
                return Histogram(bounds: limits, counts: numbers, sum: total)
            }, paths: [bounds, counts, sum])
    }
}
