import Credentials
import Encoding
package import Kiosk

/// `[door]`: what is at the gate besides the relay, with `[[door.input]]` for each input and `[[door.schedule]]` for each time.
package struct DoorSection: Hashable, Sendable {
    /// The level of an input that says what it is for.
    package enum Level: String, CaseIterable, Sendable {
        case low, high
    }

    /// What holds the level of an input while nothing drives it.
    package enum Bias: String, CaseIterable, Sendable {
        /// As the board has it.
        case asItIs = "as-is"
        /// The chip's resistor to the supply, or to ground.
        case pullUp = "pull-up"
        case pullDown = "pull-down"
        /// None of the chip's: there is one outside.
        case none
    }

    /// `[[door.input]]`: one input.
    package struct Input: Hashable, Sendable {
        /// What it tells.
        package var use: DoorInput
        /// Its line by name, on the chip of `[gpio]`.
        package var line: String
        /// The level at which it says so.
        package var active: Level
        /// What holds its level.
        package var bias: Bias
        /// How long a level must hold.
        package var debounce: Duration

        init(_ reader: inout ConfigurationReader) {
            use = reader.choice("door.input.use", default: .passage)
            line = reader.required("door.input.line", example: "GPIO16")
            // A contact that closes when something happens, to ground; and loops that open, so that a cut wire is told.
            let isLoop = [.contact, .tamper, .fire].contains(use)
            active = reader.choice("door.input.active", default: isLoop ? .high : .low)
            bias = reader.choice("door.input.bias", default: .pullUp)
            debounce = reader.duration(
                "door.input.debounce", default: .milliseconds(20), in: .milliseconds(1)...(.milliseconds(250)))
        }
    }

    /// How the relay opens.
    package var opening: DoorSettings.Opening
    /// How long a passage is awaited.
    package var wait: Duration
    /// Whether the next verdict waits for it.
    package var oneByOne: Bool
    /// What becomes of an acceptance that nobody used.
    package var whenUnused: DoorSettings.Unused
    /// How long the door may stand open.
    package var heldOpen: Duration
    /// Whether people may go out in a lock-down.
    package var exitsWhileLocked: Bool
    /// The line of the output for free passage; nil: there is none.
    package var freeLine: String?
    /// Whether a low level energises it.
    package var freeActiveLow: Bool
    /// Whether passage is free while the fire panel reports a fire.
    package var fireOpens: Bool
    /// The inputs, each use once.
    package var inputs: [Input]
    /// The times.
    package var schedule = DoorSchedule()

    /// Reads `[door]`; `chip`: where its lines are.
    init(_ reader: inout ConfigurationReader, chip: String?) {
        opening = reader.choice("door.opening", default: .pulse)
        wait = reader.duration("door.wait", default: .seconds(5), in: .seconds(1)...DoorSettings.longestWait)
        oneByOne = reader.flag("door.oneByOne", default: true)
        whenUnused = reader.choice("door.whenUnused", default: .keep)
        heldOpen = reader.duration("door.heldOpen", default: .seconds(30), in: .seconds(5)...(.seconds(3600)))
        exitsWhileLocked = reader.flag("door.exitsWhileLocked", default: false)
        freeLine = reader.optional("door.freeLine")
        freeActiveLow = reader.flag("door.freeActiveLow", default: false)
        fireOpens = reader.flag("door.fireOpens", default: false)
        let zone = reader.text("door.zone", default: "Z")
        inputs = reader.each("door.input", as: "door.input") { Input(&$0) }
        if let known = CivilZone(offset: Text(zone)) ?? PolicyFile.zone(Text(zone)) {
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
                reader.reject(key, "has no mode that is known", "Write mode = \"locked\" or mode = \"free\".")
                continue
            }
            let (hours, problems) = GateHours.read(table)
            for problem in problems { reader.reject(key, problem.message, problem.remedy) }
            if let hours { schedule.entries.append(.init(mode, hours)) }
        }
        if !schedule.entries.isEmpty, !reader.has("door.zone") {
            reader.warn(
                "door.zone", "is not given: the hours of door.schedule are those of UTC",
                "Write zone = \"Europe/Berlin\" in [door], or zone = \"Z\" if UTC is meant.")
        }
        if schedule.entries.count > 64 {
            reader.reject(key, "has more than 64 entries", "Put days with equal hours together.")
        }
    }

    private func check(_ reader: inout ConfigurationReader, chip: String?) {
        for (key, isThere) in [("door.input", !inputs.isEmpty), ("door.freeLine", freeLine != nil)] where isThere {
            if chip == nil { reader.reject(key, "needs a chip", "Name it: gpio.chip.") }
        }
        for use in DoorInput.allCases where inputs.count(where: { $0.use == use }) > 1 {
            reader.reject("door.input", "has \(use.rawValue) twice", "Wire contacts of one use together, on one line.")
        }
        let seesPassage = inputs.contains { $0.use == .passage || $0.use == .contact }
        if !seesPassage, opening == .level {
            reader.reject(
                "door.opening", "is \"level\", and nothing sees that somebody passes",
                "Wire a passage input or a door contact, or write \"pulse\".")
        }
        if !seesPassage, whenUnused == .release {
            reader.reject(
                "door.whenUnused", "is \"release\", and nothing sees that somebody passes",
                "Wire a passage input or a door contact, or write \"keep\".")
        }
        if opening == .level, wait > Gate.hardLimit {
            reader.warn(
                "door.wait", "is longer than the relay may be energised",
                "The relay is released after 5 s in any case; the passage is awaited for longer.")
        }
        let needs =
            "Free passage has a line of its own, which is renewed all the time: name door.freeLine. The gate's relay never "
            + "stays open."
        if freeLine == nil, schedule.entries.contains(where: { $0.mode == .free }) {
            reader.reject("door.schedule", "has free passage, and no output for it", needs)
        }
        if freeLine == nil, fireOpens { reader.reject("door.fireOpens", "has no output", needs) }
        if fireOpens, !inputs.contains(where: { $0.use == .fire }) {
            reader.reject(
                "door.fireOpens", "has no input", "Wire the fire panel's contact: [[door.input]], use = \"fire\".")
        }
    }

    /// What the kiosk needs of it. The kernel debounces lines, so that the kiosk need not.
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
        settings.hasFreeOutput = freeLine != nil
        return settings
    }
}
