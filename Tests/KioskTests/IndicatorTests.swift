import Encoding
import Kiosk
import Testing

@Suite struct IndicatorTests {
    /// Returns the signal at every millisecond of the given duration after `pattern` was requested.
    private func timeline(_ pattern: IndicatorPattern, milliseconds: Int) -> [Signal] {
        var indicator = Indicator(pattern, at: .zero)
        return (0..<milliseconds).map { indicator.signal(at: Instant(nanoseconds: Int64($0) * 1_000_000)) }
    }

    @Test(arguments: IndicatorPattern.allCases)
    func noLampFlashesMoreThanThreeTimesInAnySecond(_ pattern: IndicatorPattern) {
        let signals = timeline(pattern, milliseconds: 6000)
        for lamp in Lamp.allCases {
            let rises = (1..<signals.count).filter {
                signals[$0].lamps.contains(lamp) && !signals[$0 - 1].lamps.contains(lamp)
            }
            for rise in rises {
                #expect(rises.filter { (rise..<rise + 1000).contains($0) }.count <= 3, "\(pattern) \(lamp)")
            }
        }
    }

    @Test func everyPatternIsDifferentWithoutColour() {
        // Without colour, these remain: the position of the lamp that is lit, the time, and the tone.
        let seen = IndicatorPattern.allCases.map { timeline($0, milliseconds: 3000) }
        for (first, a) in seen.enumerated() {
            for (second, b) in seen.enumerated() where first < second { #expect(a != b) }
        }
    }

    @Test func verdictIsShownToItsEndThenReady() {
        var indicator = Indicator(.checking, at: .zero)
        indicator.show(.accepted, at: .zero)
        indicator.show(.ready, at: Instant(nanoseconds: 1_000_000_000))
        #expect(indicator.signal(at: Instant(nanoseconds: 2_999_999_999)) == Signal([.green]))
        #expect(indicator.signal(at: Instant(nanoseconds: 3_000_000_000)) == Signal([.blue]))
        #expect(indicator.pattern == .ready)
    }

    @Test func attentionIsReadyWithAShortFlash() {
        let signals = timeline(.attention, milliseconds: 2000)
        #expect(signals.count { $0.lamps == [.amber] } == 200)
        #expect(signals.count { $0.lamps == [.blue] } == 1000)
        #expect(signals.allSatisfy { !$0.tone && $0.lamps.count <= 1 })
    }

    @Test func theReadyPatternChangesOnlyWhereItIsShown() {
        var indicator = Indicator(.connected, at: .zero)
        indicator.rest(in: .attention, at: .zero)
        #expect(indicator.pattern == .connected)
        indicator.show(.ready, at: .zero)
        #expect(indicator.pattern == .attention)
        indicator.rest(in: .ready, at: .zero)
        #expect(indicator.pattern == .ready)
        indicator.show(.rejected, at: .zero)
        indicator.show(.ready, at: .zero)
        indicator.rest(in: .attention, at: .zero)
        #expect(indicator.pattern == .rejected)
        _ = indicator.signal(at: Instant(nanoseconds: 4_000_000_000))
        #expect(indicator.pattern == .attention)
    }

    @Test(arguments: [IndicatorPattern.accepted, .rejected])
    func aVerdictIsKeptWhenTheNextPhoneConnects(_ verdict: IndicatorPattern) throws {
        var indicator = Indicator(verdict, at: .zero)
        indicator.show(.connected, at: Instant(nanoseconds: 1_000_000_000))
        let end = Instant.zero.advanced(by: try #require(verdict.end))
        _ = indicator.signal(at: Instant(nanoseconds: end.nanoseconds - 1))
        #expect(indicator.pattern == verdict)
        #expect(indicator.signal(at: end) == Signal([.blue]) && indicator.pattern == .connected)
    }

    @Test func faultDoesNotWaitForAVerdict() {
        var indicator = Indicator(.accepted, at: .zero)
        indicator.show(.fault, at: Instant(nanoseconds: 1))
        #expect(indicator.pattern == .fault)
    }

    /// Returns the times in milliseconds at which the buzzer is switched on and off, alternately.
    private func sounds(_ pattern: IndicatorPattern, _ tones: VerdictTones) -> [Int] {
        var indicator = Indicator(pattern, tones: tones, at: .zero)
        let on = (0..<4000).map { indicator.signal(at: Instant(nanoseconds: Int64($0) * 1_000_000)).tone }
        return (0..<4000).filter { on[$0] != ($0 > 0 && on[$0 - 1]) }
    }

    @Test func verdictsSoundAsConfigured() {
        #expect(sounds(.accepted, VerdictTones()) == [0, 600])
        #expect(sounds(.rejected, VerdictTones()) == [0, 150, 500, 650, 1000, 1150])
        #expect(VerdictTones().areDifferent)
        var tones = VerdictTones()
        tones.accepted = [.milliseconds(100), .milliseconds(50), .milliseconds(100)]
        tones.rejected = []
        #expect(
            sounds(.accepted, tones) == [0, 100, 150, 250] && sounds(.rejected, tones).isEmpty && tones.areDifferent)
        tones.rejected = [.seconds(1), .seconds(1), .seconds(1)]
        #expect(!tones.areDifferent, "two tones each")
        // The tones last no longer than the light, whatever the setting is.
        #expect(sounds(.rejected, tones) == [0, 1000, 2000, 3000])
        for pattern in [.ready, .attention, .connected, .receiving, .checking, .failed, .fault, .off]
            as [IndicatorPattern]
        {
            #expect(sounds(pattern, tones).isEmpty, "\(pattern)")
        }
    }

    @Test func theLampsOfAVerdictDoNotDependOnItsTones() {
        var silent = VerdictTones()
        (silent.accepted, silent.rejected) = ([], [.milliseconds(70)])
        for verdict in [.accepted, .rejected] as [IndicatorPattern] {
            var plain = Indicator(verdict, at: .zero)
            var other = Indicator(verdict, tones: silent, at: .zero)
            for millisecond in 0..<3500 as Range<Int64> {
                let now = Instant(nanoseconds: millisecond * 1_000_000)
                #expect(plain.signal(at: now).lamps == other.signal(at: now).lamps)
            }
        }
    }

    @Test func nextChangeNamesTheInstantAtWhichTheSignalDiffers() {
        var indicator = Indicator(.rejected, at: .zero)
        var now = Instant.zero
        while now.nanoseconds < 3_500_000_000 {
            let before = indicator.signal(at: now)
            guard let next = indicator.nextChange(after: now) else { break }
            #expect(next > now)
            let last = Instant(nanoseconds: next.nanoseconds - 1)
            #expect(indicator.signal(at: last) == before)
            now = next
        }
        #expect(indicator.pattern == .ready)
    }
}
