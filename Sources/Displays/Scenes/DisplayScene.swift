/// What a display shows at one moment, for all kinds of devices: a terminal, a picture file, a panel.
package struct DisplayScene: Hashable, Sendable {
    /// The state of the gate.
    package enum State: Hashable, Sendable {
        /// The gate serves phones as soon as a code is available.
        case inService
        /// The gate is locked down: it admits no visitor.
        case lockedDown
        /// The gate is in free passage. Phones can still present credentials.
        case freePassage
        /// The gate cannot admit any visitor. `remedy` is the instruction for the staff.
        case outOfOrder(remedy: String)
        /// The program has ended normally.
        case outOfService

        /// Whether the gate serves phones, so that the display shows a code.
        var isServing: Bool { self == .inService || self == .freePassage }
    }

    /// A visit in progress.
    package struct Guest: Hashable, Sendable {
        /// The progress of the visit.
        package enum Stage: Hashable, Sendable {
            /// The visitor chooses a credential.
            case choosing
            /// The given part of the payload has arrived, from 0 to 100 per cent.
            case receiving(percent: Int)
            /// The payload is being verified.
            case checking
        }

        /// The name of the visit on displays, a few characters long.
        package var mark: String
        /// The progress of the visit.
        package var stage: Stage

        /// Creates a visit.
        package init(mark: String, stage: Stage) { (self.mark, self.stage) = (mark, stage) }
    }

    /// The end of a visit.
    package struct Result: Hashable, Sendable {
        /// The outcomes that a display shows.
        package enum Outcome: Hashable, Sendable {
            /// Accepted: the visitor may pass.
            case accepted
            /// Rejected: the visitor may not pass.
            case rejected
            /// The visit failed, because no data arrived that could be verified.
            case failed
        }

        /// The name of the visit on displays, a few characters long.
        package var mark: String
        /// The outcome of the visit.
        package var outcome: Outcome

        /// Creates the end of a visit.
        package init(mark: String, outcome: Outcome) { (self.mark, self.outcome) = (mark, outcome) }
    }

    /// A line about an event, which only terminals show.
    package struct News: Hashable, Sendable {
        /// The number of the line. The first line has the number 1.
        package var number: Int
        /// The text of the line, without its line end.
        package var text: String

        /// Creates a line.
        package init(number: Int, text: String) { (self.number, self.text) = (number, text) }
    }

    /// The name of the gate.
    package var name: String
    /// The instruction to scan the code, in one line.
    package var instruction = DisplayLanguage.english.text(.scan)
    /// The language of all texts except the instruction.
    package var language = DisplayLanguage.english
    /// Whether the picture of a result is before or after the text.
    package var sign = SignPlace.first
    /// The state of the gate.
    package var state = State.inService
    /// The text of the QR code; nil: no code is shown.
    package var code: String?
    /// The visits in progress, in the order of their arrival.
    package var guests: [Guest] = []
    /// The result that the light shows at present; nil: it shows none.
    package var result: Result?
    /// The latest lines about events, oldest first.
    package var news: [News] = []

    /// Creates the scene of a gate with the name `name` at its start, without a code.
    package init(name: String) { self.name = name }
}

/// How much of a scene a device shows. If two scenes in a row are equal after ``of(_:)``, the second one is not
/// drawn.
package enum DisplayDetail: Sendable {
    /// The whole scene, with progress in steps of 5 %, and the lines about events.
    case text
    /// The scene without the lines about events, with progress in steps of 5 %.
    case lively
    /// The scene without the lines about events, with progress in steps of 25 %, for devices that are slow or write
    /// files.
    case calm
    /// Only the code, the results and the state of the gate, without visits in progress, for devices that need
    /// seconds for a picture.
    case still

    /// Returns the part of the scene that a device of this detail shows.
    package func of(_ scene: DisplayScene) -> DisplayScene {
        var scene = scene
        let step: Int
        switch self {
        case .text: step = 5
        case .lively: (step, scene.news) = (5, [])
        case .calm: (step, scene.news) = (25, [])
        case .still: (step, scene.news, scene.guests) = (100, [], [])
        }
        for index in scene.guests.indices {
            guard case .receiving(let percent) = scene.guests[index].stage else { continue }
            scene.guests[index].stage = .receiving(percent: min(max(percent, 0), 100) / step * step)
        }
        return scene
    }
}
