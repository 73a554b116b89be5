import BluetoothHost
import Encoding
package import Kiosk
package import Settings
package import Tuvali

extension KioskSettings {
    /// Creates the kiosk's settings from the configuration. Throws if the kiosk's name is invalid, which the reader
    /// of the configuration already excludes.
    package init(_ configuration: Configuration, softwareVersion: String) throws(Identifier.Failure) {
        self.init(name: try Identifier(configuration.kiosk.name), softwareVersion: softwareVersion)
        gatePulse = configuration.gate.pulse
        door = configuration.door.settings
        rhythms = configuration.rhythms.lamps
        tones = configuration.tones.verdicts
        whenLedgerFails = configuration.gate.whenLedgerFails
        generations = configuration.tuvali.generations
        keyRotation = configuration.tuvali.keyRotation
        previousKey = configuration.tuvali.previousKey
        phones = configuration.radio.phones
        tuvali.identifyLimit = configuration.tuvali.identifyLimit
        tuvali.responseSizeLimit = configuration.tuvali.responseSizeLimit
        tuvali.silenceLimit = configuration.tuvali.silenceLimit
        tuvali.transferLimit = configuration.tuvali.transferLimit
        let percent = configuration.tuvali.toleratedMissingPercent
        tuvali.toleratedMissingShare = percent < 100 ? Double(percent) / 100 : nil
        // HCI counts advertising intervals in units of 0.625 ms (Core Specification Vol 4 Part E 7.8.5). The upper
        // end of the range is a quarter higher, to leave the controller a choice.
        let units = UInt16(clamping: configuration.radio.advertisingInterval.nanoseconds / 625_000)
        let least = min(max(units, 0x20), 0x4000)
        host.advertisingInterval = least...min(least &+ max(least / 4, 1), 0x4000)
    }
}
