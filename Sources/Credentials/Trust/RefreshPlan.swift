package import Encoding

/// The plan of the times at which resources are fetched again. The caller supplies time and random numbers.
///
/// Every resource has a deadline of its own, which is randomised again after each attempt. Gates that were switched on
/// at the same time therefore do not send their requests at the same time. No event at the gate changes a deadline.
package struct RefreshPlan: Sendable {
    /// The durations of the plan.
    package struct Settings: Hashable, Sendable {
        /// The time from one successful attempt to the next.
        package var interval = Duration.seconds(3600)
        /// The maximum random change of a wait, as a fraction of the wait, 0 to 1.
        package var jitter = 0.2
        /// The wait after the first failed attempt. Each further failure doubles the wait.
        package var firstRetry = Duration.seconds(60)
        /// The longest wait after a failure, unless ``interval`` is shorter.
        package var longestRetry = Duration.seconds(3600)
        /// The time over which the first attempts after a start, or after new trust data, are spread.
        package var spread = Duration.seconds(60)

        /// Creates the documented default values.
        package init() {}
    }

    private struct Entry {
        var due: Instant
        var failures = 0
    }

    private let settings: Settings
    private var entries: [RefreshResource: Entry] = [:]

    /// Creates a plan in which nothing is due.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Replaces the resources by those that the trust data now needs. A known resource keeps its deadline. A new
    /// resource is due within the spread, or later if its copy is young.
    ///
    /// - Parameters:
    ///   - resources: All resources to keep fresh.
    ///   - ages: The time since a stored copy was confirmed. A resource without a copy is fetched as soon as possible.
    ///   - random: A number from 0 up to 1, a new number at each call.
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

    /// Returns the resources to fetch now, in a fixed order.
    package func due(at now: Instant) -> [RefreshResource] {
        entries.filter { $0.value.due <= now }.map(\.key).sorted()
    }

    /// The deadline of the next resource; nil if no resource has to be kept fresh.
    package var deadline: Instant? { entries.values.map(\.due).min() }

    /// Notes that a copy was fetched or confirmed.
    package mutating func succeeded(_ resource: RefreshResource, at now: Instant, random: Double) {
        guard entries[resource] != nil else { return }
        entries[resource] = Entry(due: now.advanced(by: jittered(settings.interval, random)))
    }

    /// Notes a failed attempt. The old copy stays in use.
    package mutating func failed(_ resource: RefreshResource, at now: Instant, random: Double) {
        guard let entry = entries[resource] else { return }
        let longest = min(settings.longestRetry, settings.interval)
        // Double at most 20 times: then any usual first wait is longer than the longest wait, and the number cannot
        // overflow.
        let wait = min(settings.firstRetry * (1 << min(entry.failures, 20)), longest)
        entries[resource] = Entry(due: now.advanced(by: jittered(wait, random)), failures: entry.failures + 1)
    }

    private func jittered(_ wait: Duration, _ random: Double) -> Duration {
        let jitter = min(max(settings.jitter, 0), 1)
        return wait * (1 + jitter * (2 * Self.share(random) - 1))
    }

    private static func share(_ random: Double) -> Double { random >= 0 && random < 1 ? random : 0.5 }
}
