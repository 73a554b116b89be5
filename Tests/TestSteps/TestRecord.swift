import Foundation

/// A line of Swift Testing's event stream, version 6.3: a test of the bundle or an event of a test.
///
/// Reads only the fields that the runner needs. The stream contains tags when the environment sets
/// `SWT_EXPERIMENTAL_EVENT_STREAM_FIELDS_ENABLED`.
package struct TestRecord: Decodable, Sendable {
    /// The kind of a line.
    package enum Kind: String, Decodable, Sendable {
        /// A test or a suite of the run.
        case test
        /// An event of the run.
        case event
    }

    /// A source location.
    package struct Place: Decodable, Sendable {
        /// `Module/File.swift`.
        package let fileID: String
        /// The line number, from 1.
        package let line: Int
    }

    /// A failed expectation or a thrown error.
    package struct Issue: Decodable, Sendable {
        /// Whether the issue fails its test.
        package let isFailure: Bool
        /// The source location of the issue.
        package let sourceLocation: Place?
    }

    /// A text for a person.
    package struct Message: Decodable, Sendable {
        /// `pass`, `fail`, `skip`, `details`, `default`, `difference` and others.
        package let symbol: String
        /// The text.
        package let text: String
    }

    /// The time of an event.
    package struct Instant: Decodable, Sendable {
        /// Seconds on the machine's monotonic clock.
        package let absolute: Double
    }

    /// The fields of both kinds; the fields of the other kind are nil.
    package struct Payload: Decodable, Sendable {
        /// For a test `function` or `suite`; for an event `testStarted`, `testEnded`, `testSkipped`,
        /// `issueRecorded` and others.
        package let kind: String
        /// A test's id: `Module.Suite/function()/File.swift:1:2`.
        package let id: String?
        /// A test's tags, inherited ones included, each with its dot: `.realTime`.
        package let tags: [String]?
        /// The id of the test that an event is about.
        package let testID: String?
        /// The time of an event.
        package let instant: Instant?
        /// The texts of an event.
        package let messages: [Message]?
        /// The issue that an event records.
        package let issue: Issue?

        private enum CodingKeys: String, CodingKey {
            case kind, id, testID, instant, messages, issue
            case tags = "_tags"
        }
    }

    /// The kind of the line.
    package let kind: Kind
    /// The content of the line.
    package let payload: Payload

    /// Reads a line; nil for an incomplete one, for example the last line of a process that was killed.
    package init?(line: some Collection<UInt8>) {
        guard let record = try? JSONDecoder().decode(TestRecord.self, from: Data(line)) else { return nil }
        self = record
    }
}
