package import Credentials
package import Encoding
import Foundation

extension CivilZone {
    /// Returns the time zone with the given name and its changes of the offset from 2000 to 2060; nil if the machine
    /// does not know the zone. An outdated zone needs an update of the machine's zone database, not of the policy.
    package static func named(_ name: Text) -> CivilZone? {
        guard let zone = TimeZone(identifier: name.string) else { return nil }
        let end = Date(timeIntervalSince1970: 2_840_140_800)  // 2060-01-01
        var date = Date(timeIntervalSince1970: 946_684_800)  // 2000-01-01
        let offset = zone.secondsFromGMT(for: date)
        var changes: [CivilZone.Change] = []
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next < end {
            changes.append(
                .init(at: Int64(next.timeIntervalSince1970.rounded()), offset: zone.secondsFromGMT(for: next)))
            date = next
        }
        return CivilZone(name: name, offset: offset, changes: changes)
    }
}
