/// A promise of the gate that `gatehouse demo` tests. The test disturbs a gate and then checks the requirements of the
/// promise.
package struct DemoPromise: Sendable {
    /// A step of the test, as the output shows it.
    package struct Step: Hashable, Sendable {
        /// The part of the gate, or the person, that acts, in one word.
        package let who: String
        /// What the part or person does or observes, in words.
        package let text: String

        init(_ who: String, _ text: String) { (self.who, self.text) = (who, text) }
    }

    /// One requirement of a promise, with the result of its test.
    package struct Finding: Hashable, Sendable {
        /// The requirement of the promise, in words.
        package let promise: String
        /// The result of the test, in words.
        package let found: String
        /// Whether the requirement is met.
        package let isKept: Bool

        /// Creates a finding.
        package init(_ promise: String, _ found: String, isKept: Bool) {
            (self.promise, self.found, self.isKept) = (promise, found, isKept)
        }
    }

    /// The things that a test needs from the program.
    package struct Tools: Sendable {
        /// The version of the program.
        package let version: String
        /// The seed of all random values in a test.
        package let seed: UInt64
        /// The path of an empty folder for databases.
        package let folder: String
        /// Runs ``PowerCut/live(in:seed:version:onPulse:)`` on a folder in a process of its own, and kills the process
        /// during the pulse. Returns the ID of the visit of the pulse, and a text about how the process ended.
        package let pullThePlug: @Sendable (_ folder: String) async throws -> (visit: String, end: String)

        /// Creates the tools.
        package init(
            version: String, seed: UInt64, folder: String,
            pullThePlug: @escaping @Sendable (_ folder: String) async throws -> (visit: String, end: String)
        ) {
            (self.version, self.seed, self.folder, self.pullThePlug) = (version, seed, folder, pullThePlug)
        }
    }

    /// Receives the steps of a test.
    package typealias StepReporter = @Sendable (Step) -> Void

    /// The name of the promise on the command line, as a scenario.
    package let name: String
    /// What disturbs the gate, in one sentence.
    package let story: String
    /// The parts that are real and the parts that are virtual, in words.
    package let real: String
    /// Tests the promise and returns its findings. Throws an error that prevents the test, such as a folder that is not
    /// writable.
    package let play: @Sendable (_ tools: Tools, _ tell: @escaping StepReporter) async throws -> [Finding]

    /// All promises in the order of the help text.
    package static let all = [
        DemoPromise(
            name: "power-cut", story: "The power fails while the gate is open for a visitor.",
            real: "Real: kiosk, protocol, verifier, database, kill -9. Virtual: radio, phones, relay, clock.",
            play: { tools, tell in try await PowerCut(tools).play(tell) }),
        DemoPromise(
            name: "crowd",
            story: "A crowd with good and bad credentials visits the gate, with attackers and poor radio links.",
            real: "Real: kiosk, protocol, verifier. Virtual: radio, phones, relay, disk, clock.",
            play: { tools, tell in
                try CrowdPromise(seed: tools.seed, credentials: try CrowdRun.realCredentials()).play(tell)
            }),
        DemoPromise(
            name: "wrong-clock",
            story: "An attacker moves the gate's clock back to a day on which an expired credential was valid.",
            real: "Real: kiosk, protocol, verifier, guard of the clock. Virtual: radio, phones, relay, disk, clocks.",
            play: { tools, tell in try await WrongClock(seed: tools.seed).play(tell) }),
        DemoPromise(
            name: "forged-ledger", story: "An attacker who can write the gate's files changes them.",
            real:
                "Real: kiosk, verifier, database, seal, witness and their files. Virtual: radio, phones, relay, clock.",
            play: { tools, tell in try await ForgedLedger(tools).play(tell) }),
    ]

    /// The names of all promises.
    package static let names = all.map(\.name)

    /// Returns the promise with the name `name`; nil if there is none.
    package static func named(_ name: String) -> DemoPromise? { all.first { $0.name.utf8.elementsEqual(name.utf8) } }
}
