import Encoding

// This file writes the text format of Prometheus ("Exposition formats", text format 0.0.4).

extension Metric {
    /// The media type of the text that ``exposition(of:)`` returns.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
    /// The length in bytes after which the text of a label is cut.
    private static let longestLabel = 256

    /// Returns the text with all metrics of a report. Leaves out metrics without samples.
    package static func exposition(of report: StatusReport) -> String {
        var text = ""
        for metric in all {
            let samples = metric.samples(report)
            if samples.isEmpty { continue }
            text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in samples { text += metric.lines(sample) }
        }
        return text
    }

    private func lines(_ sample: Sample) -> String {
        switch sample.value {
        case .number(let number, let decimals):
            return Self.line(name, sample.labels, Self.decimal(number, decimals))
        case .histogram(let bounds, let counts, let sum, let decimals):
            var (text, total) = ("", 0)
            for (place, count) in counts.enumerated() {
                total += count
                let bound = place < bounds.count ? Self.decimal(bounds[place], decimals) : "+Inf"
                text += Self.line(name + "_bucket", sample.labels + [("le", Text(bound))], String(total))
            }
            return text + Self.line(name + "_sum", sample.labels, Self.decimal(sum, decimals))
                + Self.line(name + "_count", sample.labels, String(total))
        }
    }

    private static func line(_ name: String, _ labels: [(name: String, text: Text)], _ value: String) -> String {
        let labels = labels.map { "\($0.name)=\"\(escaped($0.text))\"" }.joined(separator: ",")
        return name + (labels.isEmpty ? "" : "{" + labels + "}") + " " + value + "\n"
    }

    private static func escaped(_ text: Text) -> String {
        var result = ""
        for scalar in text.string.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
            if result.utf8.count >= longestLabel { break }
        }
        return result
    }

    /// Returns a number as a decimal fraction without trailing zeros. The last `decimals` digits of `number` follow
    /// the decimal point.
    static func decimal(_ number: Int, _ decimals: Int) -> String {
        guard decimals > 0 else { return String(number) }
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
        let fraction = padded.suffix(decimals).reversed().drop { $0 == "0" }.reversed()
        return (number < 0 ? "-" : "") + padded.dropLast(decimals) + (fraction.isEmpty ? "" : "." + String(fraction))
    }
}
