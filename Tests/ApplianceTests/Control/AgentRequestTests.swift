import Administration
import Encoding
import Testing

/// Requests about connections, as lines.
@Suite struct AgentRequestTests {
    private static let requests: [AgentRequest] = [
        .connect(invitation: "{}", destination: nil), .connect(invitation: "https://a", destination: "backup"), .list,
        .show("x"), .delete("x", isForced: false, tellsAgent: false), .delete("x", isForced: true, tellsAgent: false),
        .delete("x", isForced: false, tellsAgent: true), .ping("primary"),
        .messages(of: nil, uid: nil, pendingOnly: false), .messages(of: "x", uid: "y", pendingOnly: true),
        .answer(uid: "y", response: "Yes", of: nil), .answer(uid: "y", response: "Yes", of: "x"),
    ]

    @Test(arguments: requests) func requestsAreReadAsWritten(_ request: AgentRequest) throws {
        let (name, members) = request.request
        let (read, found) = try ControlRequest.read(name.line(members))
        #expect(try AgentRequest(read, found) == request)
    }

    @Test(arguments: [
        #"{"request":"agent-show"}"#, #"{"request":"agent-show","connection":7}"#,
        #"{"request":"agent-show","connection":""}"#, #"{"request":"agent-show","connection":null}"#,
        #"{"request":"agent-show","connection":["x"]}"#, #"{"request":"agent-show","connection":"x","more":1}"#,
        #"{"request":"agent-list","all":true}"#, #"{"request":"agent-delete","connection":"x","force":"yes"}"#,
        #"{"request":"agent-delete","connection":"x","forced":true}"#,
        #"{"request":"agent-delete","connection":"x","tell":1}"#, #"{"request":"agent-connect"}"#,
        #"{"request":"agent-connect","invitation":{}}"#, #"{"request":"agent-messages","pending":1}"#,
        #"{"request":"agent-messages","uid":true}"#, #"{"request":"agent-answer","uid":"y"}"#,
        #"{"request":"agent-ping","connection":"\#(String(repeating: "x", count: 257))"}"#,
        #"{"request":"agent-connect","invitation":"\#(String(repeating: "x", count: 64 * 1024 + 1))"}"#,
    ])
    func invalidRequestsAreRefusedWithARemedy(_ line: String) throws {
        let (request, members) = try ControlRequest.read(Array(line.utf8))
        #expect {
            try AgentRequest(request, members)
        } throws: { error in
            (error as? ControlRefusal)?.remedy != nil
        }
    }

    /// The largest invitation, with each of its characters escaped, and a text that is longer than any
    /// request.
    @Test func aRequestHasABound() throws {
        let text = Text(String(repeating: "\"", count: AgentRequest.invitationLimit))
        let (name, members) = AgentRequest.connect(invitation: text, destination: "primary").request
        let (request, found) = try ControlRequest.read(name.line(members))
        #expect(try AgentRequest(request, found) == .connect(invitation: text, destination: "primary"))
        #expect(throws: ControlRefusal.self) {
            try ControlRequest.read(name.line([.init("invitation", .text(String(repeating: "x", count: 150_000)))]))
        }
    }
}
