import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// The displays: each is kept at the newest scene by a thread of its own, and none of them holds up another.
package final class DisplayOutput: KioskListener {
    /// One display.
    package struct Screen: Sendable {
        /// What people call it: its kind and its device.
        let name: String
        /// What visitors are told on it.
        let instruction: String
        /// The language of all that is said besides.
        let language: DisplayLanguage
        /// Where signs stand on it.
        let sign: SignPlace
        /// Makes what draws on it.
        let make: @Sendable () -> any DisplayDevice

        /// That display.
        package init(
            name: String, instruction: String, language: DisplayLanguage = .english, sign: SignPlace = .first,
            make: @escaping @Sendable () -> any DisplayDevice
        ) {
            (self.name, self.instruction, self.language) = (name, instruction, language)
            (self.sign, self.make) = (sign, make)
        }
    }

    private let keeper: Mutex<SceneKeeper>
    private let faults: DisplayFaults
    private let screens: [(screen: Screen, thread: DisplayThread)]

    /// Shows what is going on at the gate of that name, from now on that it starts. `retries`: see ``DisplayThread``; `report` hears
    /// of displays that fail or hang.
    package init(
        gate name: String, on screens: [Screen], retries: ClosedRange<Duration> = DisplayThread.retries,
        report: @escaping HealthReporter
    ) throws(SystemError) {
        keeper = Mutex(SceneKeeper(name: name))
        let faults = DisplayFaults(report)
        self.faults = faults
        var threads: [(Screen, DisplayThread)] = []
        for (index, screen) in screens.enumerated() {
            let thread = try DisplayThread(retries: retries, make: screen.make) { failure in
                faults.note(failure.map { "\(screen.name): \($0)" }, of: index)
            }
            threads.append((screen, thread))
        }
        self.screens = threads
        change { _ in }
    }

    /// The light goes on every second: reason enough to look after displays that hang.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
        change { $0.take(pattern) }
        for (index, (screen, thread)) in screens.enumerated() {
            guard let since = thread.busySince, since.duration(to: SystemClock.now()) >= DisplayThread.stallLimit else {
                continue
            }
            faults.note("\(screen.name) has taken no picture for \(DisplayThread.stallLimit)", of: index)
        }
    }

    /// Shows the invitation, or that there is none.
    package func showInvitation(_ uri: String?, at now: Instant) { change { $0.take(invitation: uri) } }

    /// Shows who is meant, and how far it is.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        change { $0.take(note, of: visit) }
        // What stays on a panel is its last picture, and no code that serves nobody.
        if case .stopped = note { _ = flush(within: .milliseconds(150)) }
    }

    /// Waits until every display shows what it should, at most for `limit` in all; whether they do.
    package func flush(within limit: Duration) -> Bool {
        let end = SystemClock.now().advanced(by: limit)
        return screens.allSatisfy { $0.thread.flush(within: SystemClock.now().duration(to: end)) }
    }

    private func change(_ body: (inout SceneKeeper) -> Void) {
        let scene = keeper.withLock { keeper in
            body(&keeper)
            return keeper.scene
        }
        for (screen, thread) in screens {
            var scene = scene
            (scene.instruction, scene.language, scene.sign) = (screen.instruction, screen.language, screen.sign)
            thread.show(scene)
        }
    }
}

/// Which displays are out of order: one word about all of them.
private final class DisplayFaults: Sendable {
    private let details = Mutex<[Int: String]>([:])
    private let report: HealthReporter

    init(_ report: @escaping HealthReporter) { self.report = report }

    /// Notes what is wrong with a display; nil: nothing.
    func note(_ detail: String?, of index: Int) {
        let (isNew, worst) = details.withLock { details in
            let before = details
            details[index] = detail
            return (before != details, details.min { $0.key < $1.key }?.value)
        }
        guard isNew else { return }
        report(worst.map { .present(.displayFailed, detail: $0) } ?? .over(.displayFailed))
    }
}
