package import Displays
package import Kiosk
import Ledger
import Reasons

/// Makes the scene for the displays from the kiosk's notes and the light's pattern.
///
/// A scene shows a verdict for as long as the light shows it, with the name of its visit. A scene shows no reasons of
/// a verdict, because they concern only the holder.
package struct DisplayState: Sendable {
    /// The maximum number of visits that a scene shows.
    static let guests = 8
    /// The maximum number of lines about events in a scene.
    static let lines = 64

    /// The present scene.
    package private(set) var scene: DisplayScene
    private var pattern = IndicatorPattern.off
    private var faults: [ReasonCode] = []
    private var guests: [(visit: VisitID, stage: DisplayScene.Guest.Stage)] = []
    private var mode = DoorMode.normal
    private var hasStopped = false

    /// Creates the state of a gate with the name `name` at its start.
    package init(name: String) { scene = DisplayScene(name: name) }

    /// Sets the invitation whose code is shown; nil: no code is shown.
    package mutating func take(invitation: String?) { scene.code = invitation }

    /// Sets the pattern that the light shows. Removes the result from the scene if the pattern shows none.
    package mutating func take(_ pattern: IndicatorPattern) {
        self.pattern = pattern
        if ![.accepted, .rejected, .failed].contains(pattern) { scene.result = nil }
    }

    /// Applies a note. The note of a verdict must be applied after the pattern of that verdict.
    package mutating func take(_ note: KioskNote, of visit: VisitID?) {
        if let line = EventLine.text(note, of: visit) {
            scene.news.append(.init(number: (scene.news.last?.number ?? 0) + 1, text: Self.harmless(line)))
            if scene.news.count > Self.lines { scene.news.removeFirst() }
        }
        switch note {
        case .identified: move(visit, to: .choosing)
        case .transferStarted: move(visit, to: .receiving(percent: 0))
        case .progress(let received, let total, _):
            move(visit, to: .receiving(percent: total > 0 ? min(100, received * 100 / total) : 0))
        case .received: move(visit, to: .checking)
        case .decided(let isAccepted, _, _, _):
            move(visit, to: nil)
            guard let visit, pattern == (isAccepted ? .accepted : .rejected) else { break }
            scene.result = .init(mark: visit.mark, outcome: isAccepted ? .accepted : .rejected)
        case .visitEnded(let result, _, _):
            move(visit, to: nil)
            guard let visit, result == .outcome(.failed), pattern == .failed, scene.result == nil else { break }
            scene.result = .init(mark: visit.mark, outcome: .failed)
        case .fault(let code, let isPresent, _, _):
            faults.removeAll { $0 == code }
            if isPresent { faults.append(code) }
            settle()
        case .doorMode(let mode, _):
            self.mode = mode
            settle()
        case .stopped:
            hasStopped = true
            settle()
        default: break
        }
    }

    /// Replaces control characters by spaces. The line can contain text from a peer, whose control characters could
    /// move the terminal's cursor or change its state.
    private static func harmless(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? " " : $0 }))
    }

    /// Sets the state of the scene from the present faults and the mode of the door. A fault of weight 0 means that
    /// the gate can admit no visitor.
    private mutating func settle() {
        let fault = faults.first { Health.weight(of: $0) == 0 }
        scene.state = hasStopped ? .outOfService : fault.map { .outOfOrder(remedy: $0.remedy) } ?? usual
    }

    private var usual: DisplayScene.State {
        switch mode {
        case .normal: .inService
        case .locked: .lockedDown
        case .free: .freePassage
        }
    }

    private mutating func move(_ visit: VisitID?, to stage: DisplayScene.Guest.Stage?) {
        guard let visit else { return }
        let index = guests.firstIndex { $0.visit == visit }
        switch (index, stage) {
        case (let index?, let stage?): guests[index].stage = stage
        case (let index?, nil): guests.remove(at: index)
        case (nil, let stage?): if guests.count < Self.guests { guests.append((visit, stage)) }
        case (nil, nil): break
        }
        scene.guests = guests.map { .init(mark: $0.visit.mark, stage: $0.stage) }
    }
}
