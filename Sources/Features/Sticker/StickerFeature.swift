import Encoding
import GateService
import Kiosk
import Monitoring
import Observation
import Reasons
import ServiceLifecycle
import Settings

/// The printed code, which serves gates without a display.
struct StickerFeature: CheckedFeature {
    static let section: any ConfigurationSection.Type = StickerSection.self
    static let check = FeatureCheck.sticker

    private let start: FeatureStart
    /// The printed code; nil if the configuration names none, or before the ledger was opened.
    private var code: PrintedCode?

    init(_ start: FeatureStart) { self.start = start }

    mutating func open(wallTime: @escaping @Sendable () -> WallTime) {
        code = PrintedCode(
            start.configuration[StickerSection.self], clock: start.clock, wallTime: wallTime, report: start.report)
    }

    var printedKey: (any PrintedKeySource)? { code }
    var parts: [StatusPart] { [StatusPart(\.sticker) { [code] in code?.status }] }

    func services(of gate: RunningGate) -> [any Service] {
        [code].compactMap(\.self).map { StickerService(code: $0, gatekeeper: gate.gatekeeper, clock: gate.clock) }
    }

    static func summaries(_ configuration: Configuration) -> [FeatureSummary] {
        configuration[StickerSection.self].key == nil ? [] : [FeatureSummary("in force")]
    }

    static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem? {
        machine.asOwner {
            configuration[StickerSection.self].problem(at: machine.utc).map {
                FeatureProblem(.stickerOff, $0.message, remedy: $0.remedy)
            }
        }
    }

    static func notice(_ configuration: Configuration, at now: Timestamp) -> FeatureProblem? {
        configuration[StickerSection.self].problem(at: now).map {
            FeatureProblem(.stickerOff, "the printed code is not in force: \($0.message)", remedy: $0.remedy)
        }
    }

    static func expiries(_ configuration: Configuration) -> [Expiry] {
        let section = configuration[StickerSection.self]
        guard let key = section.key, let day = section.until else { return [] }
        let made = (try? StickerKey(reading: key))?.made
        return [Expiry(.sticker, "", begin: made, end: day.advanced(by: StickerDay.length))]
    }

    static func lostByRestore(_ configuration: Configuration) -> String? {
        configuration[StickerSection.self].key == nil
            ? nil : "a backup contains no printed code: print a new one (gatehouse sticker)"
    }
}
