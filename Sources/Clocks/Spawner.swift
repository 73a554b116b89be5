/// Starts the few tasks that are no children of the task that starts them: the work of a thread's callback on an actor,
/// and work that may hang and that its owner must not wait for.
///
/// All other concurrent work is a child task (`async let`, a task group). A simulation passes a spawner whose tasks run
/// on its own executor.
package struct Spawner: Sendable {
    /// Starts a task with a name, a priority (nil: that of the current task) and its work.
    package typealias Start =
        @Sendable (
            _ name: String, _ priority: TaskPriority?, _ work: @escaping @Sendable () async -> Void
        ) -> Task<Void, Never>

    private let starting: Start

    /// Creates a spawner from the function that starts a task. The task inherits the task-local values of the caller.
    package init(_ start: @escaping Start) { starting = start }

    /// Starts a task that performs `work`. `name`: the owner and the purpose of the task, for people who look at the
    /// tasks of the program. The owner keeps the result if it has to cancel the task or to wait for its end.
    @discardableResult package func start(
        _ name: String, priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        starting(name, priority, work)
    }

    /// Starts tasks on the program's shared threads.
    package static let system = Spawner { name, priority, work in
        Task(name: name, priority: priority, operation: work)
    }
}
