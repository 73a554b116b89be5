/// Starts the few tasks that are not children of the task that starts them: work on an actor that a callback of a
/// thread requests, and work that may hang and for which its owner must not wait.
///
/// All other concurrent work is in child tasks (`async let`, task groups). A simulation passes a spawner whose tasks
/// run on the simulation's own executor.
package struct Spawner: Sendable {
    /// A function that starts a task with a name, a priority (nil: that of the current task) and its work.
    package typealias Start =
        @Sendable (
            _ name: String, _ priority: TaskPriority?, _ work: @escaping @Sendable () async -> Void
        ) -> Task<Void, Never>

    private let starting: Start

    /// Creates a spawner that starts tasks with the function `start`. A task inherits the task-local values of the
    /// caller.
    package init(_ start: @escaping Start) { starting = start }

    /// Starts a task that performs `work`, and returns it. `name`: the owner and the purpose of the task, as a debugger
    /// shows them. An owner that must cancel the task, or wait for its end, stores the returned task.
    @discardableResult package func start(
        _ name: String, priority: TaskPriority? = nil, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        starting(name, priority, work)
    }

    /// The spawner that starts tasks on the program's shared threads.
    package static let system = Spawner { name, priority, work in
        Task(name: name, priority: priority, operation: work)
    }
}
