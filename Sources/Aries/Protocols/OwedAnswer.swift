package import Encoding

/// The answer to a question, from the decision until the peer's server has accepted or refused the answer. The
/// connection stores it as part of its state, because the peer sends the question only once.
package struct OwedAnswer: Equatable, Sendable {
    /// The result of sending an answer.
    package enum Fate: Hashable, Sendable {
        /// The answer waits to be sent.
        case owed
        /// The peer's server accepted the answer.
        case sent
        /// The peer's server refused the answer with this HTTP status, and would refuse it again.
        case refused(status: Int)
        /// The answer is not sent, because too many answers wait or because the connection has ended.
        case dropped
    }

    /// The name under which the owner of the connection stores the question.
    package let question: Text
    /// The text of the response that was chosen.
    let response: Text
    /// The whole message with the answer.
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
