package import Encoding

/// One figure for Prometheus: its name, its meaning, and its place in the status report.
///
/// The report that `gatehouse status --json` prints is the only source of all observations. A metric only
/// gives a part of the report another name. If the report lacks a value because a part of the gate does not
/// answer, the metric has no sample.
package struct Metric: Sendable {
    /// The kind of a metric (Prometheus text format 0.0.4).
    package enum Kind: String, Sendable {
        /// A value that rises and falls.
        case gauge
        /// A value that only grows, and is reset at the start of the service.
        case counter
        /// Counts by size, and the sum of the values.
        case histogram
    }

    /// A value of a metric with its labels.
    package struct Sample: Sendable {
        /// The labels: names, and texts from a bounded set.
        let labels: [(name: String, text: Text)]
        let value: Value
    }

    /// The value of a sample. `decimals`: how many of its digits are after the decimal point, so that no
    /// rounding is needed.
    package enum Value: Sendable {
        case number(Int, decimals: Int = 0)
        /// A histogram. `counts`: the numbers of values up to each bound and above the bound before it; the
        /// last count has no upper bound. `sum`: the sum of all values, in units with `decimals` decimal
        /// places.
        case histogram(bounds: [Int], counts: [Int], sum: Int, decimals: Int = 0)
    }

    /// The name, with unit and suffix as Prometheus requires.
    package let name: String
    /// The kind of the metric.
    package let kind: Kind
    /// The names of the metric's labels, for the documentation.
    package let labels: [String]
    /// The meaning of the metric, in one sentence.
    package let help: String
    /// Returns the samples of the metric from a status report.
    package let samples: @Sendable (_ report: JSON) -> [Sample]

    /// The unit of the metric, which its name contains: bytes, seconds, or a number of items.
    package var unit: String {
        if name.contains("timestamp_seconds") { return "seconds since 1970" }
        if name.contains("seconds") { return "seconds" }
        return name.contains("bytes") ? "bytes" : "number"
    }

    /// The metric's row in a Markdown table: name with labels, kind, unit, meaning.
    package var row: String {
        let labels = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
        return "| `\(name)\(labels)` | \(kind.rawValue) | \(unit) | \(help) |"
    }
}

extension Metric {
    /// Returns a metric with a single number at a path of the report.
    static func number(
        _ name: String, _ kind: Kind, _ path: [Text], decimals: Int = 0, _ help: String
    ) -> Metric {
        Metric(name: name, kind: kind, labels: [], help: help) { report in
            guard let value = report.at(path).flatMap(Self.whole) else { return [] }
            return [Sample(labels: [], value: .number(value, decimals: decimals))]
        }
    }

    /// Returns a metric with one sample for each member of the object at a place.
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

    /// Returns a metric with one sample for each of `words`. The sample is 1 for the word at the path `path`
    /// of the report, and 0 for the others.
    static func word(_ name: String, _ path: [Text], label: String, of words: [Text], _ help: String) -> Metric {
        Metric(name: name, kind: .gauge, labels: [label], help: help) { report in
            guard let word = report.at(path)?.string else { return [] }
            return words.map { Sample(labels: [(label, $0)], value: .number($0 == word ? 1 : 0)) }
        }
    }

    /// Returns a metric of the date at a place.
    static func date(_ name: String, _ path: [Text], _ help: String) -> Metric {
        Metric(name: name, kind: .gauge, labels: [], help: help) { report in
            guard let date = report.at(path).flatMap(seconds) else { return [] }
            return [Sample(labels: [], value: .number(date))]
        }
    }

    /// Returns a metric of the figure at a place.
    static func histogram(_ name: String, _ path: [Text], decimals: Int = 0, _ help: String) -> Metric {
        Metric(name: name, kind: .histogram, labels: [], help: help) { report in
            guard let figure = report.at(path).flatMap(Figure.init) else { return [] }
            let value = Value.histogram(
                bounds: figure.bounds, counts: figure.counts, sum: figure.sum, decimals: decimals)
            return [Sample(labels: [], value: value)]
        }
    }

    /// Returns a metric with one sample for each element of the list at a place.
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

    /// Returns a whole number; true is 1.
    static func whole(_ value: JSON) -> Int? { value.int ?? value.bool.map { $0 ? 1 : 0 } }

    /// Returns a date of the report in seconds since 1970; nil if it is no date.
    static func seconds(_ value: JSON) -> Int? {
        value.string.flatMap { Timestamp(rfc3339: $0.string) }.map { Int($0.seconds) }
    }
}

/// A histogram of the report.
struct Figure {
    let bounds: [Int]
    let counts: [Int]
    let sum: Int

    /// Reads a histogram of the report; nil if the value is no histogram.
    init?(_ json: JSON) {
        guard let bounds = json["bounds"]?.array?.map(\.int), let counts = json["counts"]?.array?.map(\.int),
            let sum = json["sum"]?.int, counts.count == bounds.count + 1
        else { return nil }
        (self.bounds, self.counts, self.sum) = (bounds.compactMap(\.self), counts.compactMap(\.self), sum)
        guard self.counts.count == self.bounds.count + 1 else { return nil }
    }

    /// The number of all values.
    var count: Int { counts.reduce(0, +) }

    /// Returns the lowest bound that at least `percent` per cent of the values do not exceed; nil if there
    /// are no values, or if that bound is above the last one.
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
    /// Returns the value at the end of a path through objects.
    func at(_ path: [Text]) -> JSON? { path.reduce(Optional(self)) { $0?[$1] } }
}
