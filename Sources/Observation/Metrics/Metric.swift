package import Encoding

/// One figure as Prometheus gets it: its name, what it means, and where it stands in the status report.
///
/// The report that `gatehouse status --json` prints is the one value of what is observed. A metric only says how a part of it is
/// called elsewhere; what the report lacks, because a part of the box does not answer, has no sample.
package struct Metric: Sendable {
    /// How its values behave (Prometheus text format 0.0.4).
    package enum Kind: String, Sendable {
        /// Goes up and down.
        case gauge
        /// Only grows, and begins anew with the service.
        case counter
        /// Counts by size, and their sum.
        case histogram
    }

    /// A value under labels.
    package struct Sample: Sendable {
        /// Names, and texts of bounded number.
        let labels: [(name: String, text: Text)]
        let value: Value
    }

    /// What a sample holds. `decimals`: how many of its digits stand behind the point, so that no rounding is needed.
    package enum Value: Sendable {
        case number(Int, decimals: Int = 0)
        /// How many values were at most as large as each bound and larger than the one before; the last counts have no bound.
        case histogram(bounds: [Int], counts: [Int], sum: Int, decimals: Int = 0)
    }

    /// The name, with unit and ending as Prometheus wants them.
    package let name: String
    /// How its values behave.
    package let kind: Kind
    /// Names of its labels, for the documents.
    package let labels: [String]
    /// What is measured, in one sentence.
    package let help: String
    /// Reads its samples from a report.
    package let samples: @Sendable (_ report: JSON) -> [Sample]

    /// The unit, which stands in the name: bytes, seconds, or a number of something.
    package var unit: String {
        if name.contains("timestamp_seconds") { return "seconds since 1970" }
        if name.contains("seconds") { return "seconds" }
        return name.contains("bytes") ? "bytes" : "number"
    }

    /// The metric's row in a table of Markdown: name with labels, kind, unit, meaning.
    package var row: String {
        let labels = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
        return "| `\(name)\(labels)` | \(kind.rawValue) | \(unit) | \(help) |"
    }
}

extension Metric {
    /// A metric of one number at a place in the report.
    static func number(
        _ name: String, _ kind: Kind, _ path: [Text], decimals: Int = 0, _ help: String
    ) -> Metric {
        Metric(name: name, kind: kind, labels: [], help: help) { report in
            guard let value = report.at(path).flatMap(Self.whole) else { return [] }
            return [Sample(labels: [], value: .number(value, decimals: decimals))]
        }
    }

    /// A metric with one sample for each member of the object at a place.
    static func members(
        _ name: String, _ kind: Kind, _ path: [Text], label: String, always: [Text] = [], _ help: String
    ) -> Metric {
        Metric(name: name, kind: kind, labels: [label], help: help) { report in
            guard let members = report.at(path)?.object else { return [] }
            let absent = always.filter { members[$0] == nil }.map { (name: $0, value: 0) }
            let present = members.members.compactMap { member in
                whole(member.value).map { (name: member.name, value: $0) }
            }
            return (present + absent).map { Sample(labels: [(label, $0.name)], value: .number($0.value)) }
        }
    }

    /// A metric that is 1 for the word that stands at a place, and 0 for the others that could.
    static func word(_ name: String, _ path: [Text], label: String, of words: [Text], _ help: String) -> Metric {
        Metric(name: name, kind: .gauge, labels: [label], help: help) { report in
            guard let word = report.at(path)?.string else { return [] }
            return words.map { Sample(labels: [(label, $0)], value: .number($0 == word ? 1 : 0)) }
        }
    }

    /// A metric of the date at a place.
    static func date(_ name: String, _ path: [Text], _ help: String) -> Metric {
        Metric(name: name, kind: .gauge, labels: [], help: help) { report in
            guard let date = report.at(path).flatMap(seconds) else { return [] }
            return [Sample(labels: [], value: .number(date))]
        }
    }

    /// A metric of the figure at a place.
    static func histogram(_ name: String, _ path: [Text], decimals: Int = 0, _ help: String) -> Metric {
        Metric(name: name, kind: .histogram, labels: [], help: help) { report in
            guard let figure = report.at(path).flatMap(Figure.init) else { return [] }
            let value = Value.histogram(
                bounds: figure.bounds, counts: figure.counts, sum: figure.sum, decimals: decimals)
            return [Sample(labels: [], value: value)]
        }
    }

    /// A metric with one sample for each element of the list at a place.
    static func elements(
        _ name: String, _ kind: Kind, _ path: [Text], labels: [(name: String, member: Text)], _ help: String,
        value: @escaping @Sendable (JSON) -> Int?
    ) -> Metric {
        Metric(name: name, kind: kind, labels: labels.map(\.name), help: help) { report in
            (report.at(path)?.array ?? []).compactMap { element in
                let texts = labels.compactMap { label in element[label.member]?.string.map { (label.name, $0) } }
                guard texts.count == labels.count, let number = value(element) else { return nil }
                return Sample(labels: texts, value: .number(number))
            }
        }
    }

    /// A whole number; true is 1.
    static func whole(_ value: JSON) -> Int? { value.int ?? value.bool.map { $0 ? 1 : 0 } }

    /// A date in seconds since 1970.
    static func seconds(_ value: JSON) -> Int? {
        value.string.flatMap { Timestamp(rfc3339: $0.string) }.map { Int($0.seconds) }
    }
}

/// A histogram as the report has it.
struct Figure {
    let bounds: [Int]
    let counts: [Int]
    let sum: Int

    /// Nil when it is none.
    init?(_ json: JSON) {
        guard let bounds = json["bounds"]?.array?.map(\.int), let counts = json["counts"]?.array?.map(\.int),
            let sum = json["sum"]?.int, counts.count == bounds.count + 1
        else { return nil }
        (self.bounds, self.counts, self.sum) = (bounds.compactMap(\.self), counts.compactMap(\.self), sum)
        guard self.counts.count == self.bounds.count + 1 else { return nil }
    }

    /// How many values there were.
    var count: Int { counts.reduce(0, +) }

    /// A bound that so many of a hundred values do not pass; nil where there are none, or it lies behind the last bound.
    func bound(ofPercent percent: Int) -> Int? {
        var rest = (count * percent + 99) / 100
        guard rest > 0 else { return nil }
        for (bound, count) in zip(bounds, counts) {
            rest -= count
            if rest <= 0 { return bound }
        }
        return nil
    }
}

extension JSON {
    /// The value at the end of a way through objects.
    func at(_ path: [Text]) -> JSON? { path.reduce(Optional(self)) { $0?[$1] } }
}
