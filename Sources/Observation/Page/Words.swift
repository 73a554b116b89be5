/// Formats numbers, sizes and times for people.
package enum Words {
    /// Returns a duration in its two largest units, such as "3 h 12 min".
    package static func duration(_ seconds: Int) -> String {
        let units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let (name, size) = units[first]
        let rest = seconds % size
        guard first + 1 < units.count, rest >= units[first + 1].1 else { return "\(seconds / size) \(name)" }
        return "\(seconds / size) \(name) \(rest / units[first + 1].1) \(units[first + 1].0)"
    }

    /// Returns a duration in milliseconds as text, such as "850 ms", "2.5 s" or "1 min".
    static func milliseconds(_ value: Int) -> String {
        if value < 1000 { return "\(value) ms" }
        return value < 60_000 ? Metric.decimal(value, 3) + " s" : duration(value / 1000)
    }

    /// Returns a duration in microseconds as text, such as "2.5 ms".
    static func microseconds(_ value: Int) -> String {
        value < 1_000_000 ? Metric.decimal(value, 3) + " ms" : Metric.decimal(value, 6) + " s"
    }

    /// Returns a size in bytes as text, such as "12.3 MB".
    static func bytes(_ value: Int) -> String {
        let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
        guard let (name, size) = units.first(where: { value >= $0.1 }) else { return "\(value) B" }
        return Metric.decimal(value * 10 / size, 1) + " " + name
    }

    /// Returns a number with its noun, such as "1 visit" or "3 visits".
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// Returns the time between two dates in seconds since 1970, such as "in 3 d" or "2 h ago".
    static func distance(_ date: Int, from now: Int) -> String {
        date >= now ? "in " + duration(date - now) : duration(now - date) + " ago"
    }
}
