/// What visitors are to see at one moment, whatever it is drawn on: a terminal, a picture, a panel.
package struct DisplayScene: Hashable, Sendable {
    /// What the gate does.
    package enum State: Hashable, Sendable {
        /// Phones may come as soon as there is a code.
        case inService
        /// Nobody is let in at the moment.
        case lockedDown
        /// The gate stands open; phones may come all the same.
        case freePassage
        /// Nobody can be served; what staff can do about it.
        case outOfOrder(remedy: String)
        /// The program has ended in order.
        case outOfService

        /// Whether phones are asked to come.
        var isServing: Bool { self == .inService || self == .freePassage }
    }

    /// A phone that is being served.
    package struct Guest: Hashable, Sendable {
        /// How far it is.
        package enum Stage: Hashable, Sendable {
            /// The person chooses what to show.
            case choosing
            /// So much of it has arrived, 0 to 100 per cent.
            case receiving(percent: Int)
            /// It is being verified.
            case checking
        }

        /// What the visit is called, a few characters.
        package var mark: String
        /// How far it is.
        package var stage: Stage

        /// A phone of that visit.
        package init(mark: String, stage: Stage) { (self.mark, self.stage) = (mark, stage) }
    }

    /// How somebody's visit ended.
    package struct Result: Hashable, Sendable {
        /// The ends that are shown.
        package enum Outcome: Hashable, Sendable {
            /// Go.
            case accepted
            /// Stop.
            case rejected
            /// Nothing arrived that could be judged.
            case failed
        }

        /// Whose it is.
        package var mark: String
        /// How it ended.
        package var outcome: Outcome

        /// The end of that visit.
        package init(mark: String, outcome: Outcome) { (self.mark, self.outcome) = (mark, outcome) }
    }

    /// A line about what has happened, for whoever sits at a terminal.
    package struct News: Hashable, Sendable {
        /// Counts lines from 1.
        package var number: Int
        /// The line, without its end.
        package var text: String

        /// That line.
        package init(number: Int, text: String) { (self.number, self.text) = (number, text) }
    }

    /// The gate's name.
    package var name: String
    /// What a visitor is to do with the code, in a line.
    package var instruction = DisplayLanguage.english.text(.scan)
    /// The language of all that is said besides.
    package var language = DisplayLanguage.english
    /// Where signs stand.
    package var sign = SignPlace.first
    /// What the gate does.
    package var state = State.inService
    /// The text of the QR code; nil: there is none.
    package var code: String?
    /// The phones that are being served, in the order in which they came.
    package var guests: [Guest] = []
    /// The verdict that the light shows.
    package var result: Result?
    /// The last lines, oldest first.
    package var news: [News] = []

    /// A gate that starts.
    package init(name: String) { self.name = name }
}

/// How much of a scene a device shows: two scenes that are equal in that are drawn once.
package enum DisplayDetail: Sendable {
    /// Everything, with progress to a twentieth and the lines.
    case text
    /// All that is drawn, with progress to a twentieth.
    case lively
    /// The same with progress to a quarter, for what is slow or written as a file.
    case calm
    /// Code, verdict and what is wrong; each picture costs a panel seconds.
    case still

    /// What is left of the scene.
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
