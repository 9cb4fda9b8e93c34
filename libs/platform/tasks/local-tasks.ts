import { type AnyEngineDefinition, type Engine, type EngineHost } from './engine.js';
import { type EngineDefinition } from './engine.js';
import { runTask } from './engine-run.js';
import { TaskError } from './task.error.js';
import { taskErrorOf } from './task.failures.js';
import { type TaskHosting, type TaskOptions, Tasks } from './tasks.port.js';

/** An engine of this process, opened by its first task. */
interface Hosted {
  readonly engine: Promise<Engine<unknown, unknown, unknown>>;
  running: number;
}

/** Runs tasks in this process; opens an engine when its first task comes. */
export const createLocalTasks = (host: EngineHost): TaskHosting => new LocalTasks(host);

class LocalTasks extends Tasks implements TaskHosting {
  readonly seesLocalFiles = true;
  readonly #hosted = new Map<AnyEngineDefinition, Hosted>();
  #closed = false;

  constructor(private readonly host: EngineHost) {
    super();
  }

  async *run<Input, Piece, End>(
    definition: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
    { worker }: TaskOptions = {},
  ): AsyncGenerator<Piece, End | null, void> {
    if (worker !== undefined) {
      throw new TaskError('no_worker', `there is no worker ${worker}: tasks run in this process`);
    }
    const hosted = this.#enter(definition);
    try {
      // The map holds the engine that this very definition opened.
      const engine = (await hosted.engine) as Engine<Input, Piece, End>;
      if (signal.aborted) return null;
      return yield* runTask(definition, engine, input, signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw taskErrorOf(definition, error);
    } finally {
      hosted.running -= 1;
    }
  }

  listen(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const hosted = [...this.#hosted.values()];
    await Promise.all(
      hosted.map(async ({ engine }) => (await engine.catch(() => undefined))?.close()),
    );
  }

  #enter(definition: AnyEngineDefinition): Hosted {
    const { name, tasksMax } = definition;
    if (this.#closed) throw new TaskError('closed', 'the process stops');
    const hosted = this.#hosted.get(definition) ?? this.#open(definition);
    if (hosted.running >= tasksMax.inProcess) {
      const message = `engine ${name} has ${tasksMax.inProcess} tasks in this process`;
      throw new TaskError('busy', message);
    }
    hosted.running += 1;
    return hosted;
  }

  #open(definition: AnyEngineDefinition): Hosted {
    const engine = this.#opened(definition);
    const hosted: Hosted = { engine, running: 0 };
    this.#hosted.set(definition, hosted);
    // The task that waits for the engine reports the error; the next task tries again.
    engine.catch(() => this.#hosted.delete(definition));
    return hosted;
  }

  async #opened(definition: AnyEngineDefinition): Promise<Engine<unknown, unknown, unknown>> {
    const reason = await definition.canRunHere(this.host);
    if (reason === null) return definition.open(this.host);
    throw new TaskError('failed', `engine ${definition.name} cannot run here: ${reason}`);
  }
}
