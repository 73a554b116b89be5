import Encoding
import Kiosk

/// A metric for Prometheus: its name, its meaning, and its value in the status report.
///
/// All values of metrics come from the ``StatusReport``; a metric only gives a part of the report a name. If the
/// report lacks the value, because a part of the gate does not answer, the metric has no sample.
package struct Metric: Sendable {
    /// The type of a metric (Prometheus text format 0.0.4).
    package enum Kind: String, Sendable {
        /// A value that rises and falls.
        case gauge
        /// A value that only increases, until a start of the service resets it to zero.
        case counter
        /// The numbers of values by their size, and the sum of the values.
        case histogram
    }

    /// A value of a metric with its labels.
    package struct Sample: Sendable {
        /// The names and texts of the labels. The number of possible texts is limited.
        let labels: [(name: String, text: Text)]
        let value: Value
    }

    /// The value of a sample. `decimals` is the number of digits after the decimal point in the integers.
    package enum Value: Sendable {
        case number(Int, decimals: Int = 0)
        /// A histogram. `counts` contains the number of values up to each bound of `bounds` and above the previous
        /// one; the last count is for values above all bounds. `sum` is the sum of all values.
        case histogram(bounds: [Int], counts: [Int], sum: Int, decimals: Int = 0)
    }

    /// The name of the metric, with the unit and suffix that Prometheus requires.
    package let name: String
    /// The kind of the metric.
    package let kind: Kind
    /// The names of the labels, for the documentation.
    package let labels: [String]
    /// The meaning of the metric, in one sentence.
    package let help: String
    /// Returns the samples of the metric from a status report; an empty list if the report lacks the value.
    package let samples: @Sendable (_ report: StatusReport) -> [Sample]
}

extension Metric {
    /// Returns a metric with one sample, whose value is a number of the report.
    static func number(
        _ name: String, _ kind: Kind, _ value: @escaping @Sendable (StatusReport) -> Int?, _ help: String
    ) -> Metric {
        Metric(name: name, kind: kind, labels: [], help: help) { report in
            value(report).map { [Sample(labels: [], value: .number($0))] } ?? []
        }
    }

    /// Returns a metric with one sample for each possible word of a member of the report. The sample is 1 for the
    /// word in the report, and 0 for the other words.
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

    /// Returns a metric that is a histogram of the report. `decimals` is the number of digits after the decimal
    /// point.
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

    /// Returns a metric with one sample for each element of a list in the report. `labels` contains the names of the
    /// labels with functions that return their texts. An element without a number or without one of the texts has no
    /// sample.
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
