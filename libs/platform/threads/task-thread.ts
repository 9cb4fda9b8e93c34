import { portOfThread } from './request-listener.js';
import { WorkerChannel } from './worker-channel.js';

type TaskRequest<Task> = { readonly kind: 'run'; readonly task: Task } | { readonly kind: 'close' };

type TaskReply<End, Code> =
  | { readonly end: End }
  | { readonly code: Code; readonly message: string }
  | { readonly fault: string };

type ErrorOf<Code> = new (code: Code | 'crashed' | 'closed', message: string) => Error;

/** Runs the tasks of an engine on a thread of its own, from the first task until `close`. */
export class TaskThread<Task, End, Code extends string> {
  #channel: WorkerChannel<TaskRequest<Task>, TaskReply<End, Code>> | null = null;
  #isClosed = false;
  #tasks = 0;

  /**
   * @param source the compiled worker file, which calls `answerTasks`
   * @param workerData of the thread
   */
  constructor(
    private readonly source: URL,
    private readonly errorOf: ErrorOf<Code>,
    private readonly workerData: unknown = null,
  ) {}

  /** Tasks since the start. */
  get tasks(): number {
    return this.#tasks;
  }

  /**
   * @throws an error of the engine
   * @throws the reason of the signal when it aborts; the thread then finishes the task for nothing
   */
  async run(task: Task, signal: AbortSignal): Promise<End> {
    signal.throwIfAborted();
    const reply = await this.#replyTo({ kind: 'run', task });
    signal.throwIfAborted();
    if (reply === null) {
      const code = this.#isClosed ? 'closed' : 'crashed';
      throw new this.errorOf(code, `the thread of the engine has ${code}`);
    }
    if ('code' in reply) throw new this.errorOf(reply.code, reply.message);
    if ('fault' in reply) throw new Error(reply.fault);
    this.#tasks += 1;
    return reply.end;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#channel?.isOpen === true) await this.#channel.close({ kind: 'close' });
  }

  #replyTo(request: TaskRequest<Task>): Promise<TaskReply<End, Code> | null> {
    if (this.#isClosed) return Promise.resolve(null);
    // A thread that failed is replaced by the next task.
    if (this.#channel?.isOpen !== true)
      this.#channel = new WorkerChannel(this.source, this.workerData);
    const channel = this.#channel;
    return new Promise((resolve) => channel.request(request, resolve));
  }
}

/** The thread's side: runs one task at a time, and replies in their order with ends or errors. */
export const answerTasks = (
  run: (task: never) => unknown,
  errorOf: abstract new (...parts: never) => Error & { readonly code: string },
): void => {
  const replyTo = async (task: unknown): Promise<TaskReply<unknown, string>> => {
    try {
      return { end: await run(task as never) };
    } catch (error) {
      if (error instanceof errorOf) return { code: error.code, message: error.message };
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  const port = portOfThread();
  let last = Promise.resolve();
  port.on('message', (request: TaskRequest<unknown>) => {
    last = last.then(async () => {
      if (request.kind === 'close') port.close();
      else port.postMessage(await replyTo(request.task));
    });
  });
};
