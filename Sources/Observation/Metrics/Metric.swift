import Encoding
import Kiosk

/// One figure for Prometheus: its name, its meaning, and its value in the status report.
///
/// The ``StatusReport`` is the only source of all observations. A metric only renames a part of the report. If the
/// report lacks a value because a part of the gate does not answer, the metric has no sample.
package struct Metric: Sendable {
    /// The kind of a metric (Prometheus text format 0.0.4).
    package enum Kind: String, Sendable {
        /// A value that rises and falls.
        case gauge
        /// A value that only grows. The start of the service resets it.
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

    /// The value of a sample. `decimals`: the number of digits after the decimal point. The value needs no rounding.
    package enum Value: Sendable {
        case number(Int, decimals: Int = 0)
        /// A histogram. `counts`: the numbers of values between successive bounds; the last count has no upper bound.
        /// `sum`: the sum of all values, in units with `decimals` decimal places.
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
    package let samples: @Sendable (_ report: StatusReport) -> [Sample]
}

extension Metric {
    /// Returns a metric with a single number of the report.
    static func number(
        _ name: String, _ kind: Kind, _ value: @escaping @Sendable (StatusReport) -> Int?, _ help: String
    ) -> Metric {
        Metric(name: name, kind: kind, labels: [], help: help) { report in
            value(report).map { [Sample(labels: [], value: .number($0))] } ?? []
        }
    }

    /// Returns a metric with one sample for each word of a list. The sample is 1 for the word in the report, and 0 for
    /// the others.
    static func word<Word: CaseIterable & RawRepresentable<String> & Equatable & Sendable>(
        _ name: String, _ word: @escaping @Sendable (StatusReport) -> Word?, label: String, _ help: String
    ) -> Metric {
        Metric(name: name, kind: .gauge, labels: [label], help: help) { report in
            guard let word = word(report) else { return [] }
            return Word.allCases.map {
                Sample(labels: [(label, Text($0.rawValue))], value: .number($0 == word ? 1 : 0))
            }
        }
    }

    static func date(
        _ name: String, _ date: @escaping @Sendable (StatusReport) -> Timestamp?, _ help: String
    ) -> Metric {
        number(name, .gauge, { date($0).map { Int($0.seconds) } }, help)
    }

    /// Returns a metric of a histogram. `decimals`: the number of digits after the decimal point.
    static func histogram(
        _ name: String, _ figure: @escaping @Sendable (StatusReport) -> Histogram?, decimals: Int = 0, _ help: String
    ) -> Metric {
        Metric(name: name, kind: .histogram, labels: [], help: help) { report in
            guard let figure = figure(report) else { return [] }
            let value = Value.histogram(
                bounds: figure.bounds, counts: figure.counts, sum: figure.sum, decimals: decimals)
            return [Sample(labels: [], value: value)]
        }
    }

    /// Returns a metric with one sample for each element of a list. `labels`: the names of the labels, with their
    /// texts. An element that lacks the number or a text has no sample.
    static func elements<Element>(
        _ name: String, _ kind: Kind, _ list: @escaping @Sendable (StatusReport) -> [Element]?,
        labels: [(name: String, text: @Sendable (Element) -> Text?)], _ help: String,
        number: @escaping @Sendable (Element) -> Int?
    ) -> Metric {
        Metric(name: name, kind: kind, labels: labels.map(\.name), help: help) { report in
            (list(report) ?? []).compactMap { element in
                let texts = labels.compactMap { label in label.text(element).map { (label.name, $0) } }
                guard texts.count == labels.count, let number = number(element) else { return nil }
                return Sample(labels: texts, value: .number(number))
            }
        }
    }
}
