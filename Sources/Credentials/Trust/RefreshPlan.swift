package import Encoding

/// Decides when what is fetched again. Pure: time and chance come from outside.
///
/// Every resource has a moment of its own, drawn anew after each attempt, so that gates that were switched on together do not
/// ask together. Nothing that happens at the gate moves it.
package struct RefreshPlan: Sendable {
    /// Times.
    package struct Settings: Hashable, Sendable {
        /// From one successful attempt to the next.
        package var interval = Duration.seconds(3600)
        /// The share of a wait that chance adds or takes away, 0 to 1.
        package var jitter = 0.2
        /// Wait after the first failure; doubled from failure to failure.
        package var firstRetry = Duration.seconds(60)
        /// The longest wait after a failure, unless ``interval`` is shorter.
        package var longestRetry = Duration.seconds(3600)
        /// The first attempts after a start, or at new trust data, are spread over this time.
        package var spread = Duration.seconds(60)

        /// The documented defaults.
        package init() {}
    }

    private struct Entry {
        var due: Instant
        var failures = 0
    }

    private let settings: Settings
    private var entries: [RefreshResource: Entry] = [:]

    /// A plan in which nothing is due.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Takes over what the trust data now needs. What was known keeps its moment; what is new gets one within the spread,
    /// or later when its copy is still young.
    ///
    /// - Parameters:
    ///   - resources: All that is to be kept.
    ///   - ages: How long ago a stored copy was confirmed; without one it is fetched as soon as may be.
    ///   - random: A number from 0 up to 1, anew at each call.
    package mutating func keep(
        _ resources: [RefreshResource], ages: [RefreshResource: Duration] = [:], at now: Instant,
        random: () -> Double
    ) {
        var kept: [RefreshResource: Entry] = [:]
        for resource in resources {
            if let known = entries[resource] {
                kept[resource] = known
                continue
            }
            let age = max(ages[resource] ?? settings.interval, .zero)
            let rest = age < settings.interval ? settings.interval - age : .zero
            kept[resource] = Entry(due: now.advanced(by: rest + settings.spread * Self.share(random())))
        }
        entries = kept
    }

    /// What is to be fetched now, in a fixed order.
    package func due(at now: Instant) -> [RefreshResource] {
        entries.filter { $0.value.due <= now }.map(\.key).sorted()
    }

    /// When something is due next; nil when there is nothing to keep.
    package var deadline: Instant? { entries.values.map(\.due).min() }

    /// A copy was fetched or confirmed.
    package mutating func succeeded(_ resource: RefreshResource, at now: Instant, random: Double) {
        guard entries[resource] != nil else { return }
        entries[resource] = Entry(due: now.advanced(by: jittered(settings.interval, random)))
    }

    /// An attempt failed; the old copy stays in use.
    package mutating func failed(_ resource: RefreshResource, at now: Instant, random: Double) {
        guard let entry = entries[resource] else { return }
        let longest = min(settings.longestRetry, settings.interval)
        // After 20 doublings every first wait is over the longest.
        let wait = min(settings.firstRetry * (1 << min(entry.failures, 20)), longest)
        entries[resource] = Entry(due: now.advanced(by: jittered(wait, random)), failures: entry.failures + 1)
    }

    private func jittered(_ wait: Duration, _ random: Double) -> Duration {
        let jitter = min(max(settings.jitter, 0), 1)
        return wait * (1 + jitter * (2 * Self.share(random) - 1))
    }

    private static func share(_ random: Double) -> Double { random >= 0 && random < 1 ? random : 0.5 }
}
