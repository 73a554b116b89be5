/// The content of a display at one moment, independent of the device: a terminal, a picture, a panel.
package struct DisplayScene: Hashable, Sendable {
    /// The state of the gate.
    package enum State: Hashable, Sendable {
        /// Phones can be served as soon as a code is available.
        case inService
        /// Lock-down: no visitor is admitted at the moment.
        case lockedDown
        /// Passage is free. Phones can still present credentials.
        case freePassage
        /// The gate cannot admit any visitor. `remedy`: the remedy for the staff.
        case outOfOrder(remedy: String)
        /// The program has ended normally.
        case outOfService

        /// Whether the display invites phones.
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

        /// The visit's name, a few characters.
        package var mark: String
        /// The progress of the visit.
        package var stage: Stage

        /// Creates a visit.
        package init(mark: String, stage: Stage) { (self.mark, self.stage) = (mark, stage) }
    }

    /// The end of a visit.
    package struct Result: Hashable, Sendable {
        /// The outcomes that are shown.
        package enum Outcome: Hashable, Sendable {
            /// Accepted: the visitor may pass.
            case accepted
            /// Rejected: the visitor has to stop.
            case rejected
            /// The visit failed: no data arrived that could be verified.
            case failed
        }

        /// The short name of the visit.
        package var mark: String
        /// The outcome of the visit.
        package var outcome: Outcome

        /// Creates the end of a visit.
        package init(mark: String, outcome: Outcome) { (self.mark, self.outcome) = (mark, outcome) }
    }

    /// A line about an event, for the person at a terminal.
    package struct News: Hashable, Sendable {
        /// The line's number, counted from 1.
        package var number: Int
        /// The text of the line, without its line end.
        package var text: String

        /// Creates a line.
        package init(number: Int, text: String) { (self.number, self.text) = (number, text) }
    }

    /// The name of the gate.
    package var name: String
    /// The instruction for the code, in one line.
    package var instruction = DisplayLanguage.english.text(.scan)
    /// The language of all other texts.
    package var language = DisplayLanguage.english
    /// The position of the result picture.
    package var sign = SignPlace.first
    /// The state of the gate.
    package var state = State.inService
    /// The text of the QR code; nil: no code is shown.
    package var code: String?
    /// The visits in progress, in the order of their arrival.
    package var guests: [Guest] = []
    /// The verdict that the light shows at present.
    package var result: Result?
    /// The last lines, oldest first.
    package var news: [News] = []

    /// Creates the scene of a gate that starts.
    package init(name: String) { self.name = name }
}

/// The detail of scenes that a device shows. Two scenes that are equal at this detail are drawn only once.
package enum DisplayDetail: Sendable {
    /// All details: progress in steps of 5 %, and the lines of events.
    case text
    /// The display shows the whole scene, with progress in steps of 5 %.
    case lively
    /// The display shows the whole scene, with progress in steps of 25 %, because it is slow or written as a file.
    case calm
    /// The display shows only the code, the verdict and failures, because each picture takes a panel seconds.
    case still

    /// Returns the scene reduced to this detail.
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
