import Encoding
import Kiosk
import Testing

/// All rhythms that an operator can choose are safe for photosensitive people and can be distinguished
/// without colours.
@Suite struct RhythmTests {
    /// Returns the lamps at each of the first milliseconds.
    private func timeline(_ pattern: IndicatorPattern, _ rhythms: LampRhythms, milliseconds: Int = 6000) -> [Set<Lamp>]
    {
        var indicator = Indicator(pattern, rhythms: rhythms, at: .zero)
        return (0..<milliseconds).map { indicator.signal(at: Instant(nanoseconds: Int64($0) * 1_000_000)).lamps }
    }

    private func rhythms(_ chosen: [IndicatorPattern: LampRhythm]) -> LampRhythms {
        var rhythms = LampRhythms()
        for (sign, rhythm) in chosen { rhythms[sign] = rhythm }
        return rhythms
    }

    private func isTaken(_ rhythms: LampRhythms) -> Bool {
        LampRhythms.signs.allSatisfy { rhythms.indistinguishable(of: $0) == nil }
    }

    /// Returns every assignment of rhythms to these signs.
    private func all(_ signs: [IndicatorPattern]) -> [[IndicatorPattern: LampRhythm]] {
        signs.reduce([[:]]) { chosen, sign in
            chosen.flatMap { before in LampRhythm.allCases.map { before.merging([sign: $0]) { $1 } } }
        }
    }

    @Test(arguments: LampRhythms.signs)
    func noRhythmFlashesMoreThanThreeTimesInAnySecond(_ sign: IndicatorPattern) throws {
        for rhythm in LampRhythm.allCases {
            let seen = timeline(sign, rhythms([sign: rhythm]))
            let lamp = try #require(seen.first?.first, "a sign begins with its lamp")
            let rises = (1..<seen.count).filter { seen[$0].contains(lamp) && !seen[$0 - 1].contains(lamp) }
            for rise in rises {
                #expect(rises.count { (rise..<rise + 1000).contains($0) } <= 3, "\(sign) \(rhythm)")  // WCAG 2.2, 2.3.1
            }
        }
    }

    @Test func theDefaultsAreTakenAndMayBeChangedOneByOne() {
        #expect(isTaken(LampRhythms()) && LampRhythms.signs.count == 8)
        #expect(isTaken(rhythms([.rejected: .slow])) && isTaken(rhythms([.receiving: .gap, .ready: .quick])))
        #expect(timeline(.rejected, rhythms([.rejected: .slow]))[1000...1999].allSatisfy { $0.isEmpty })
        #expect(timeline(.accepted, rhythms([.accepted: .gap]))[1500...1999].allSatisfy { $0.isEmpty })
        #expect(timeline(.free, rhythms([.accepted: .gap])) == timeline(.free, LampRhythms()), "another sign stays")
    }

    /// Accepted rhythms differ in the lamp's position or in rhythm; refused ones do not, except by the extra
    /// rules for verdicts.
    @Test(
        arguments: [[.ready, .connected, .receiving], [.checking], [.accepted, .free], [.rejected, .locked]]
            as [[IndicatorPattern]])
    func everyPermittedRhythmIsDistinctWithoutColours(_ signs: [IndicatorPattern]) {
        for chosen in all(signs) {
            let rhythms = rhythms(chosen)
            // A pattern with an end is compared only up to its end, because another pattern follows.
            let seen = IndicatorPattern.allCases.map { timeline($0, rhythms, milliseconds: 1000) }
            let longer = IndicatorPattern.allCases.map {
                $0.end == .seconds(1) ? [] : timeline($0, rhythms, milliseconds: 3000)
            }
            let isSame = seen.indices.contains { a in
                seen.indices.contains { b in
                    a < b && seen[a] == seen[b] && (longer[a] == longer[b] || longer[a].isEmpty || longer[b].isEmpty)
                }
            }
            let areVerdictsAlike = rhythms[.accepted] == rhythms[.rejected]
            let isQuickCheck = rhythms[.checking] == .quick
            #expect(isTaken(rhythms) == !(isSame || areVerdictsAlike || isQuickCheck), "\(chosen)")
        }
    }

    @Test func theVerdictsDifferInRhythmToo() {
        #expect(rhythms([.rejected: .steady]).indistinguishable(of: .rejected) == .accepted)
        #expect(rhythms([.accepted: .quick]).indistinguishable(of: .rejected) == .accepted)
        #expect(rhythms([.checking: .quick]).indistinguishable(of: .checking) == .failed)
        #expect(rhythms([.free: .steady]).indistinguishable(of: .free) == .accepted)
    }

    /// For every rhythm a verdict is shown for the same time, and the light changes only at the times that it
    /// announces.
    @Test(arguments: LampRhythm.allCases) func aVerdictLastsAsLong(_ rhythm: LampRhythm) {
        for verdict in [.accepted, .rejected] as [IndicatorPattern] {
            var indicator = Indicator(verdict, rhythms: rhythms([verdict: rhythm]), at: .zero)
            var (now, count) = (Instant.zero, 0)
            while indicator.pattern == verdict, count < 50, let next = indicator.nextChange(after: now) {
                let before = indicator.signal(at: now)
                #expect(next > now && indicator.signal(at: Instant(nanoseconds: next.nanoseconds - 1)) == before)
                _ = indicator.signal(at: next)
                (now, count) = (next, count + 1)
            }
            #expect(now == Instant(nanoseconds: 3_000_000_000) && indicator.pattern == .ready, "\(verdict)")
        }
    }

    @Test func steadyPatternsNeedNoTurn() {
        for pattern in [.connected, .checking, .off] as [IndicatorPattern] {
            #expect(Indicator(pattern, at: .zero).nextChange(after: .zero) == nil)
        }
        #expect(Indicator(.ready, rhythms: rhythms([.ready: .steady]), at: .zero).nextChange(after: .zero) == nil)
    }
}
