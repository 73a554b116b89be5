import Credentials
import Encoding
package import Kiosk

/// `[door]`: the settings of the door except the relay's, with a section `[[door.input]]` for each input and
/// `[[door.schedule]]` for each scheduled time.
package struct DoorSection: Hashable, Sendable {
    /// The voltage at which an input is active.
    package enum Level: String, CaseIterable, Sendable {
        case low, high
    }

    /// What determines the level of an input while nothing drives its line.
    package enum Bias: String, CaseIterable, Sendable {
        /// The present setting of the chip, which is not changed.
        case asItIs = "as-is"
        /// The chip's resistor to the supply (`pullUp`) or to ground (`pullDown`).
        case pullUp = "pull-up"
        case pullDown = "pull-down"
        /// No resistor of the chip. The circuit needs an external resistor.
        case none
    }

    /// `[[door.input]]`: the settings of one input.
    package struct Input: Hashable, Sendable {
        /// What the input reports.
        package var use: DoorInput
        /// The name of the input's line, on the chip of `[gpio]`.
        package var line: String
        /// The voltage at which the input is active.
        package var active: Level
        /// What determines the level of the line while nothing drives it.
        package var bias: Bias
        /// The debounce time: a new level counts after it has lasted for this time.
        package var debounce: Duration

        init(_ reader: inout ConfigurationReader) {
            use = reader.choice("door.input.use", default: .passage)
            line = reader.required("door.input.line", example: "GPIO16")
            // By default an input is a contact that closes to ground when the event happens. The inputs contact,
            // tamper and fire are loops that open instead, so that a cut wire is noticed.
            let isLoop = [.contact, .tamper, .fire].contains(use)
            active = reader.choice("door.input.active", default: isLoop ? .high : .low)
            bias = reader.choice("door.input.bias", default: .pullUp)
            debounce = reader.duration(
                "door.input.debounce", default: .milliseconds(20), in: .milliseconds(1)...(.milliseconds(250)))
        }
    }

    /// How the relay operates for an opening: for a fixed time, or until the visitor has passed.
    package var opening: DoorSettings.Opening
    /// How long the gate waits for the passage of an admitted visitor.
    package var wait: Duration
    /// Whether the next verdict waits until the admitted visitor has passed or can no longer pass.
    package var oneByOne: Bool
    /// What happens to the credential of an admitted visitor who did not pass.
    package var whenUnused: DoorSettings.Unused
    /// The time after which a door that is still open is reported.
    package var heldOpen: Duration
    /// Whether requests to exit are granted during a lock-down.
    package var exitsWhileLocked: Bool
    /// The lines of the outputs whose keys are in `[door]`.
    package var outputs: [OutputRole: OutputLine]
    /// Whether passage is free while the fire panel reports a fire.
    package var fireOpens: Bool
    /// The inputs, at most one for each use.
    package var inputs: [Input]
    /// The schedule of lock-down and free passage.
    package var schedule = DoorSchedule()

    /// Reads `[door]`. `chip` is the label of the chip of its lines; nil: none is configured.
    init(_ reader: inout ConfigurationReader, chip: String?) {
        opening = reader.choice("door.opening", default: .pulse)
        wait = reader.duration("door.wait", default: .seconds(5), in: .seconds(1)...DoorSettings.longestWait)
        oneByOne = reader.flag("door.oneByOne", default: true)
        whenUnused = reader.choice("door.whenUnused", default: .keep)
        heldOpen = reader.duration("door.heldOpen", default: .seconds(30), in: .seconds(5)...(.seconds(3600)))
        exitsWhileLocked = reader.flag("door.exitsWhileLocked", default: false)
        outputs = reader.outputs(in: "door")
        fireOpens = reader.flag("door.fireOpens", default: false)
        let zone = reader.text("door.zone", default: "Z")
        inputs = reader.each("door.input", as: "door.input") { Input(&$0) }
        if let known = CivilZone(offset: Text(zone)) ?? CivilZone.named(Text(zone)) {
            schedule.zone = known
        } else {
            reader.reject(
                "door.zone", "names no zone", "Write one such as \"Europe/Berlin\", or an offset, \"+02:00\".")
        }
        readSchedule(&reader)
        check(&reader, chip: chip)
    }

    private mutating func readSchedule(_ reader: inout ConfigurationReader) {
        let key = "door.schedule"
        for table in reader.sections(key, ["mode", "days", "from", "to"]) {
            let word = table.entry("mode")?.value.string
            guard let mode = [DoorMode.locked, .free].first(where: { Text($0.rawValue) == word }) else {
                reader.reject(key, "has no known mode", "Write mode = \"locked\" or mode = \"free\".")
                continue
            }
            let (hours, problems) = GateHours.read(table)
            for problem in problems { reader.reject(key, problem.message, problem.remedy) }
            if let hours { schedule.entries.append(.init(mode, hours)) }
        }
        if !schedule.entries.isEmpty, !reader.has("door.zone") {
            reader.warn(
                "door.zone", "is not set: the hours of door.schedule are in UTC",
                "Write zone = \"Europe/Berlin\" in [door], or zone = \"Z\" if UTC is meant.")
        }
        if schedule.entries.count > 64 {
            reader.reject(key, "has more than 64 entries", "Combine days with equal hours.")
        }
    }

    private func check(_ reader: inout ConfigurationReader, chip: String?) {
        for key in (inputs.isEmpty ? [] : ["door.input"]) + outputs.keys.map(\.key) where chip == nil {
            reader.reject(key, "needs a chip", "Set gpio.chip.")
        }
        for use in DoorInput.allCases where inputs.count(where: { $0.use == use }) > 1 {
            reader.reject("door.input", "has \(use.rawValue) twice", "Connect contacts with the same use to one line.")
        }
        let seesPassage = inputs.contains { $0.use == .passage || $0.use == .contact }
        if !seesPassage, opening == .level {
            reader.reject(
                "door.opening", "is \"level\", and no input detects passages",
                "Connect a passage input or a door contact, or write \"pulse\".")
        }
        if !seesPassage, whenUnused == .release {
            reader.reject(
                "door.whenUnused", "is \"release\", and no input detects passages",
                "Connect a passage input or a door contact, or write \"keep\".")
        }
        if opening == .level, wait > Gate.hardLimit {
            reader.warn(
                "door.wait", "exceeds the longest pulse of the relay",
                "The relay is always released after 5 s; the gate waits longer for the passage.")
        }
        let needs =
            "Free passage has its own line, which is renewed continuously: set door.freeLine. The gate's relay never "
            + "stays open."
        if !canBeFree, schedule.entries.contains(where: { $0.mode == .free }) {
            reader.reject("door.schedule", "has free passage, but no output for it", needs)
        }
        if !canBeFree, fireOpens { reader.reject("door.fireOpens", "has no output", needs) }
        if fireOpens, !inputs.contains(where: { $0.use == .fire }) {
            reader.reject(
                "door.fireOpens", "has no input", "Connect the fire panel's contact: [[door.input]], use = \"fire\".")
        }
    }

    /// Whether the gate has an output that stays on during free passage.
    private var canBeFree: Bool { outputs[.freeRelay] != nil }

    /// The settings for the ``Kiosk`` module. The debounce times of the inputs are zero, because the inputs are
    /// already debounced.
    package var settings: DoorSettings {
        var settings = DoorSettings()
        settings.inputs = Dictionary(inputs.map { ($0.use, .zero) }) { first, _ in first }
        settings.opening = opening
        settings.wait = wait
        settings.oneByOne = oneByOne
        settings.whenUnused = whenUnused
        settings.heldOpen = heldOpen
        settings.exitsWhileLocked = exitsWhileLocked
        settings.fireOpens = fireOpens
        settings.hasFreeOutput = canBeFree
        return settings
    }
}
