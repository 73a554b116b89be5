import Foundation

/// The kernel's information about the threads of a process: `/proc/ID/task` (proc_pid_task(5)).
struct TaskFolder {
    private let path: String

    init(process id: pid_t) { path = "/proc/\(id)/task" }

    /// The ids of the threads; none once the process has been waited for.
    var threads: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// Returns the state letter of a thread (proc_pid_stat(5): after the name in parentheses); nil for one
    /// that has ended.
    func state(of thread: String) -> Character? {
        guard let line = text("\(thread)/stat"), let name = line.lastIndex(of: ")") else { return nil }
        return line[name...].dropFirst(2).first
    }

    /// Returns how long a thread was on a processor, and how long it waited for one before that, in
    /// nanoseconds.
    func times(of thread: String) -> (ran: Int, waited: Int)? {
        guard let numbers = text("\(thread)/schedstat")?.split(separator: " ").compactMap({ Int($0) }),
            numbers.count >= 2
        else { return nil }
        return (numbers[0], numbers[1])
    }

    private func text(_ file: String) -> String? { try? String(contentsOfFile: "\(path)/\(file)", encoding: .utf8) }
}
