import Administration
import Encoding

extension FuzzTarget {
    /// Lines of the control socket: the limits hold, and a request that is written again reads as the same
    /// request.
    static let control = FuzzTarget(
        name: "control", longest: 4096,
        seeds: {
            let requests: [AgentRequest] = [
                .connect(invitation: "{\"@id\":\"x\"}", destination: "backup"), .list, .show("primary"),
                .delete("x", isForced: true, tellsAgent: true), .ping("x"),
                .messages(of: "x", uid: "y", pendingOnly: true),
            ]
            return requests.map { $0.request.0.line($0.request.1) } + [ControlRequest.status.line([])]
        },
        check: { line in
            do throws(ControlRefusal) {
                let (request, members) = try ControlRequest.read(line)
                guard let asked = try AgentRequest(request, members) else { return }
                let (name, written) = asked.request
                let again = try ControlRequest.read(name.line(written))
                require(name == request && again.request == request, "a request keeps its name")
                require(try AgentRequest(again.request, again.members) == asked, "a written request reads as the same")
            } catch {
                require(error.remedy != nil, "every refusal says what to do")
            }
        })
}
