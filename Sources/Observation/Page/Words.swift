/// Formats figures for people.
package enum Words {
    /// Returns the two largest units: "3 h 12 min".
    package static func duration(_ seconds: Int) -> String {
        let units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let (name, size) = units[first]
        let rest = seconds % size
        guard first + 1 < units.count, rest >= units[first + 1].1 else { return "\(seconds / size) \(name)" }
        return "\(seconds / size) \(name) \(rest / units[first + 1].1) \(units[first + 1].0)"
    }

    /// Returns a short time: "850 ms", "2.5 s", "1 min".
    static func milliseconds(_ value: Int) -> String {
        if value < 1000 { return "\(value) ms" }
        return value < 60_000 ? Metric.decimal(value, 3) + " s" : duration(value / 1000)
    }

    /// Returns a very short time: "2.5 ms".
    static func microseconds(_ value: Int) -> String {
        value < 1_000_000 ? Metric.decimal(value, 3) + " ms" : Metric.decimal(value, 6) + " s"
    }

    /// Returns a size: "12.3 MB".
    static func bytes(_ value: Int) -> String {
        let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
        guard let (name, size) = units.first(where: { value >= $0.1 }) else { return "\(value) B" }
        return Metric.decimal(value * 10 / size, 1) + " " + name
    }

    /// Returns a number with its noun: "1 visit", "3 visits".
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// Returns the distance of a date: "in 3 d", "2 h ago".
    static func distance(_ date: Int, from now: Int) -> String {
        date >= now ? "in " + duration(date - now) : duration(now - date) + " ago"
    }
}
