import Foundation

/// A line of Swift Testing's event stream, version 6.3: a test of the bundle or something that happened to one.
///
/// Only what the runner decides by is read. Tags are there when the environment has
/// `SWT_EXPERIMENTAL_EVENT_STREAM_FIELDS_ENABLED`.
package struct TestRecord: Decodable, Sendable {
    /// What the line is about.
    package enum Kind: String, Decodable, Sendable {
        /// A test or a suite that the run will visit.
        case test
        /// Something that happened.
        case event
    }

    /// A place in the sources.
    package struct Place: Decodable, Sendable {
        /// `Module/File.swift`.
        package let fileID: String
        /// From 1 on.
        package let line: Int
    }

    /// A failed expectation or a thrown error.
    package struct Issue: Decodable, Sendable {
        /// Whether it fails its test.
        package let isFailure: Bool
        /// Where it is.
        package let sourceLocation: Place?
    }

    /// A text for people.
    package struct Message: Decodable, Sendable {
        /// `pass`, `fail`, `skip`, `details`, `default`, `difference` and others.
        package let symbol: String
        /// The text.
        package let text: String
    }

    /// When an event happened.
    package struct Instant: Decodable, Sendable {
        /// Seconds on the machine's monotonic clock.
        package let absolute: Double
    }

    /// The fields of both kinds; those of the other kind are nil.
    package struct Payload: Decodable, Sendable {
        /// `function` or `suite` of a test; of an event `testStarted`, `testEnded`, `testSkipped`, `issueRecorded` and
        /// others.
        package let kind: String
        /// A test's id: `Module.Suite/function()/File.swift:1:2`.
        package let id: String?
        /// A test's tags, inherited ones included, each with its dot: `.realTime`.
        package let tags: [String]?
        /// The id of the test that an event is about.
        package let testID: String?
        /// When an event happened.
        package let instant: Instant?
        /// What an event says to people.
        package let messages: [Message]?
        /// What was recorded.
        package let issue: Issue?

        private enum CodingKeys: String, CodingKey {
            case kind, id, testID, instant, messages, issue
            case tags = "_tags"
        }
    }

    /// What the line is about.
    package let kind: Kind
    /// What it says.
    package let payload: Payload

    /// Reads a line; nil for one that is none, as the last line of a process that was killed.
    package init?(line: some Collection<UInt8>) {
        guard let record = try? JSONDecoder().decode(TestRecord.self, from: Data(line)) else { return nil }
        self = record
    }
}
