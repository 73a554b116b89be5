package import Encoding

/// The answer to a question, until the peer's server has accepted or refused it. It is part of the connection's state,
/// because the question came once.
package struct OwedAnswer: Equatable, Sendable {
    /// The result of sending an answer.
    package enum Fate: Hashable, Sendable {
        /// The answer waits to be sent.
        case owed
        /// The peer's server accepted it.
        case sent
        /// The peer's server refused it with this HTTP status and would refuse it again.
        case refused(status: Int)
        /// It is not sent: too many answers wait, or the connection has ended.
        case dropped
    }

    /// The name under which the owner of the connection keeps the question.
    package let question: Text
    /// The chosen response.
    let response: Text
    /// The answer as it is sent.
    let message: JSON

    var json: JSON { ["question": .string(question), "response": .string(response), "message": message] }

    init(_ question: Text, response: Text, message: JSON) {
        (self.question, self.response, self.message) = (question, response, message)
    }

    init?(_ json: JSON) {
        guard let question = json["question"]?.string, let response = json["response"]?.string,
            let message = json["message"], message.object != nil
        else { return nil }
        self.init(question, response: response, message: message)
    }
}
