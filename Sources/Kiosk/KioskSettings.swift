package import BluetoothHost
import Encoding
package import Tuvali

/// The settings of the appliance's behaviour that an operator may choose.
package struct KioskSettings: Sendable {
    /// What happens at the gate for a visit whose intent the ledger did not store.
    package enum LedgerFailurePolicy: String, CaseIterable, Sendable {
        /// The gate opens for no credential while it cannot record (default).
        case refuse
        /// Accepted visitors are admitted without a durable intent, except with a printed key. The records of these
        /// visits are written when the disk allows; a power cut before that leaves no trace of the visit. For places
        /// where a shut gate is the greater harm.
        case open
    }

    /// The gate's name in its invitations and advertisements, which phones compare.
    package var name: Identifier
    /// The version of this program, for records.
    package var softwareVersion: String
    /// How long the relay is energised; cut to ``Gate/hardLimit``, and to 2 s when another verdict waits to be shown.
    package var gatePulse: Duration = .milliseconds(200)
    /// The settings of the door: the parts of the gate other than its relay.
    package var door = DoorSettings()
    /// The rhythms in which the lamps blink for each indicator pattern.
    package var rhythms = LampRhythms()
    /// The tones of the verdicts.
    package var tones = VerdictTones()
    /// What the gate does while the ledger cannot record; see ``LedgerFailurePolicy``.
    package var whenLedgerFails: LedgerFailurePolicy = .refuse
    /// How long an unused key and its invitation are advertised. The time is short, because wallets authenticate only
    /// 40 bits of the key.
    package var keyRotation: Duration = .seconds(60)
    /// How long the previous invitation is still advertised in addition to a new one, for phones that have
    /// read it.
    package var previousKey: Duration = .seconds(20)
    /// The generations of Tuvali that the gate accepts, each once. Each generation has a service in the GATT
    /// table and an advertisement on the air, in this order.
    package var generations: [Generation] = [.b]
    /// The number of places for phones without the ``lobby``, at least 1. The number is lower if the controller
    /// supports fewer links.
    package var phones = 4
    /// The number of places in addition to ``phones``. They exist because visitors need more time to choose than to
    /// send.
    package var lobby = 4
    /// How long a visitor may choose while another phone waits for a place, or could wait. Nearly all visitors need
    /// less time.
    var choiceLimit: Duration = .seconds(8)
    /// The time limit for choosing if the radio supports only one phone at a time. In that case the gate
    /// cannot know whether another phone waits.
    package var loneChoiceLimit: Duration = .seconds(30)
    /// How long a phone may take to identify itself while another waits. On a slow link the limit is 100 connection
    /// intervals, up to the time for choosing: some 20 requests and answers precede the identification, each of which
    /// takes two intervals without loss.
    package var identifyLimit: Duration = .seconds(5)
    /// How late a phone may be with its chunks, or how long it may stay after its verdict, while another waits.
    package var idleLimit: Duration = .seconds(4)
    /// How long a verdict waits for its intent to become durable before the ledger counts as failed.
    package var intentLimit: Duration = .seconds(2)
    /// How long a verification may take before the visit fails with `internal`.
    package var verificationLimit: Duration = .seconds(10)
    /// How long the radio may take to start before it is opened again.
    package var radioStartLimit: Duration = .seconds(20)
    /// Waits between attempts to open the radio, doubled from the shortest to the longest. The longest is short, so
    /// that the gate advertises within a second after the radio was repaired or its driver has returned.
    package var radioBackoff: ClosedRange<Duration> = .milliseconds(100)...(.seconds(1))
    /// How long the radio must have been up before its next failure counts as a new failure, with a short
    /// wait again. Otherwise a radio that fails as soon as it is up would be opened ten times a second, and
    /// the log would fill.
    var radioSettling: Duration = .seconds(10)
    /// The time after which a radio that stays out of order is reported again.
    package var radioReminder: Duration = .seconds(60)
    /// The time limits and rules of the Tuvali protocol.
    package var tuvali = SessionSettings()
    /// The settings of the Bluetooth host.
    package var host = HostConfiguration()

    /// The services of the GATT table.
    var services: [ServiceDefinition] { generations.map { ServiceDefinition($0) } }

    /// The settings of the Bluetooth host, with room for as many links as phones can have a visit, and for
    /// some links that are ending.
    var hostConfiguration: HostConfiguration {
        var configuration = host
        configuration.limits.connections = max(1, phones) + lobby + Kiosk.leavingLinks
        return configuration
    }

    /// The limits of a session: those of the protocol, plus the time in which a verdict may have to wait for
    /// the verdicts of all other phones at the gate.
    var sessionSettings: SessionSettings {
        var settings = tuvali
        let passage = door.oneByOne ? door.longestPassage : .zero
        var turn = max(VerdictTurns.longest, passage) + Gate.gap
        // Between two verdicts the gate may open for an exit, after the whole pulse and the whole red light of the
        // previous visitor.
        if door.inputs[.request] != nil { turn = max(turn, Gate.hardLimit + Gate.gap) + VerdictTurns.pulse + Gate.gap }
        let turns = turn * (phones + lobby)
        settings.verdictLimit = max(settings.verdictLimit, verificationLimit + intentLimit + turns)
        return settings
    }

    /// Creates the documented default settings for a kiosk called `name`.
    package init(name: Identifier, softwareVersion: String) {
        self.name = name
        self.softwareVersion = softwareVersion
    }
}
