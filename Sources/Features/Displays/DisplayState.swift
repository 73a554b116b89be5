package import Displays
package import Kiosk
import Ledger
import Reasons

/// Makes the scene on the displays from the kiosk's notes and its light.
///
/// The scene follows the light: a verdict is on the displays for as long as the light shows it. Visitors see
/// which visit a verdict belongs to, but no reasons: those concern only the holder.
package struct DisplayState: Sendable {
    /// The maximum number of phones shown.
    static let guests = 8
    /// The maximum number of event lines kept.
    static let lines = 64

    /// The present scene.
    package private(set) var scene: DisplayScene
    private var pattern = IndicatorPattern.off
    private var faults: [ReasonCode] = []
    private var guests: [(visit: VisitID, stage: DisplayScene.Guest.Stage)] = []
    private var mode = DoorMode.normal
    private var hasStopped = false

    /// Creates the scene of a starting gate called `name`.
    package init(name: String) { scene = DisplayScene(name: name) }

    /// Sets the code of the invitation to show; nil: no invitation.
    package mutating func take(invitation: String?) { scene.code = invitation }

    /// Sets the pattern that the light shows.
    package mutating func take(_ pattern: IndicatorPattern) {
        self.pattern = pattern
        if ![.accepted, .rejected, .failed].contains(pattern) { scene.result = nil }
    }

    /// Applies a note. The note of a verdict arrives after its pattern.
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

    /// Replaces control characters, which could move a terminal's cursor or worse: a detail may hold text
    /// from a peer.
    private static func harmless(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? " " : $0 }))
    }

    /// Sets the state of the scene from the present faults. A fault of weight 0 means that the gate can admit
    /// no visitor.
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
