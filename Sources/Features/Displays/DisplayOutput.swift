package import Clocks
package import Displays
package import Encoding
import GateService
package import Kiosk
package import LinuxIO
import Reasons
import Synchronization

/// Shows the state of the gate on displays. Each display has its own thread, which shows the newest scene, so a slow
/// display does not delay the others.
package final class DisplayOutput: KioskListener {
    /// A display and its settings.
    package struct Screen: Sendable {
        /// The display's name for people: its kind and its device.
        let name: String
        /// The instruction that the display shows to visitors.
        let instruction: String
        /// The language of all other texts on the display.
        let language: DisplayLanguage
        /// The position of the picture of a result relative to its text.
        let sign: SignPlace
        /// Creates the device. Called on the display's thread.
        let make: @Sendable () -> any DisplayDevice

        /// Creates a screen from the values of its properties.
        package init(
            name: String, instruction: String, language: DisplayLanguage = .english, sign: SignPlace = .first,
            make: @escaping @Sendable () -> any DisplayDevice
        ) {
            (self.name, self.instruction, self.language) = (name, instruction, language)
            (self.sign, self.make) = (sign, make)
        }
    }

    private let keeper: Mutex<DisplayState>
    private let faults: DisplayFaults
    private let clock: Clock
    private let screens: [(screen: Screen, thread: DisplayThread)]

    /// Starts a thread for each screen and shows the state of the gate `name`. `clock` measures the time limit of
    /// ``flush(within:)``. `retries`: see ``DisplayThread``. `report` receives the fault that a display fails or
    /// hangs, and its end.
    package init(
        gate name: String, on screens: [Screen], clock: Clock, retries: ClosedRange<Duration> = DisplayThread.retries,
        report: @escaping HealthReporter
    ) throws(SystemError) {
        self.clock = clock
        keeper = Mutex(DisplayState(name: name))
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

    /// Shows the pattern of the light. Also reports displays that hang, because this is called every second.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
        change { $0.take(pattern) }
        for (index, (screen, thread)) in screens.enumerated() {
            guard thread.isStalled else { continue }
            faults.note("\(screen.name) has accepted no picture for \(DisplayThread.stallLimit)", of: index)
        }
    }

    /// Shows the code of the invitation; nil: shows no code.
    package func showInvitation(_ uri: String?, at now: Instant) { change { $0.take(invitation: uri) } }

    /// Shows a note of the kiosk, and the progress of the visit that the note is about.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        change { $0.take(note, of: visit) }
        // Wait for the last scene: an e-paper panel shows its last picture without power, and this must not be the
        // code of an invitation that is no longer valid.
        if case .stopped = note { _ = flush(within: .milliseconds(150)) }
    }

    /// Waits until each display shows its newest scene, for at most `limit` in total. Returns whether all do.
    package func flush(within limit: Duration) -> Bool {
        let end = clock.now().advanced(by: limit)
        return screens.allSatisfy { $0.thread.flush(within: clock.now().duration(to: end)) }
    }

    private func change(_ body: (inout DisplayState) -> Void) {
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

/// The displays that fail or hang. All of them share one fault, whose detail is that of the first of them in the
/// configuration.
private final class DisplayFaults: Sendable {
    private let details = Mutex<[Int: String]>([:])
    private let report: HealthReporter

    init(_ report: @escaping HealthReporter) { self.report = report }

    /// Notes that the display with the index `index` failed with `detail`; nil: the display works.
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
