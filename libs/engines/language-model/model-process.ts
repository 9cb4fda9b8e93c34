/** The engine's end of the wire to the process that runs the models: one inbox per generation. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EngineCrashedError } from './language-model.engine.errors.js';
import type {
  FromChild,
  GenerationTask,
  ToChild,
  ChildSettings,
} from './language-model.protocol.js';

export type StartChild<Settings = ChildSettings> = (settings: Settings) => ChildProcess;

/** A message of a child: `done` and `failed` end the generation. */
interface Addressed {
  readonly type: string;
  readonly id: number;
}

/**
 * Starts the program of a child: TypeScript in specs, JavaScript in a build.
 * @param program the address of the file, without its extension
 */
export const startProgram =
  <Settings>(
    program: URL,
    options: Pick<ForkOptions, 'env' | 'stdio'> = {},
  ): StartChild<Settings> =>
  (settings) => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const file = fileURLToPath(`${program.href}.${extension}`);
    // Flags of this process, such as a debugger's port, are not the child's. The condition makes
    // the subpaths that it imports the sources.
    const execArgv = extension === 'ts' ? ['--conditions=quipu-source'] : [];
    const parameters = [JSON.stringify(settings)];
    return fork(file, parameters, { ...options, execArgv, serialization: 'advanced' });
  };

export const startModelChild: StartChild = startProgram(
  new URL('./language-model.child', import.meta.url),
);

type Letter<Message> = Message | EngineCrashedError | 'aborted';

/** Letters for one generation, in order, for one reader. */
export class Inbox<Message = FromChild> {
  private readonly letters: Letter<Message>[] = [];
  private wake: (() => void) | undefined;

  put(letter: Letter<Message>): void {
    this.letters.push(letter);
    this.wake?.();
  }

  /** Waits for the next letter. Throws the EngineCrashedError if the process ended instead. */
  async take(): Promise<Message | 'aborted'> {
    for (;;) {
      const letter = this.letters.shift();
      if (letter instanceof EngineCrashedError) throw letter;
      if (letter !== undefined) return letter;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

interface Generation<Message> {
  readonly inbox: Inbox<Message>;
  /** Deltas that were read and not yet reported. */
  read: number;
  readonly ended: () => void;
}

/** Unread deltas are acknowledged in this many parts. */
const ACKNOWLEDGED_PARTS = 4;

/** The child of an engine. Two engines have one: their tasks and messages differ. */
export class ModelProcess<
  Task = GenerationTask,
  Message extends Addressed = FromChild,
  Settings extends Pick<ChildSettings, 'unreadDeltasMax'> = ChildSettings,
> {
  private readonly child: ChildProcess;
  private readonly generations = new Map<number, Generation<Message>>();
  private readonly exited: Promise<void>;
  private nextId = 1;
  private unsent: ToChild<Task>[] = [];
  private readonly unreadDeltasMax: number;

  /** `onExit` is called once, when no further generation can be started on this process. */
  constructor(startChild: StartChild<Settings>, settings: Settings, onExit: () => void) {
    this.unreadDeltasMax = settings.unreadDeltasMax;
    this.child = startChild(settings);
    this.rest();
    this.child.on('message', (messages) => {
      for (const message of messages as readonly Message[]) this.deliver(message);
    });
    this.exited = new Promise((resolve) => {
      const gone = (reason: string): void => {
        onExit();
        this.abandon(reason);
        resolve();
      };
      let problem: string | undefined;
      this.child.on('error', (error) => {
        problem = error.message;
        // A process that could not be started never exits.
        if (this.child.pid === undefined) gone(problem);
      });
      this.child.once('exit', (code, signal) =>
        gone(problem ?? signal ?? `exit code ${code ?? 0}`),
      );
    });
  }

  /** Begins a generation; `ended` is called when the process has stopped working on it. */
  start(task: Task, ended: () => void): { readonly id: number; readonly inbox: Inbox<Message> } {
    const id = this.nextId;
    this.nextId += 1;
    const inbox = new Inbox<Message>();
    if (this.generations.size === 0) this.hold();
    this.generations.set(id, { inbox, ended, read: 0 });
    this.post({ type: 'generate', id, task });
    return { id, inbox };
  }

  /** Tells the process of deltas that were read, several at a time. */
  acknowledge(id: number): void {
    const generation = this.generations.get(id);
    if (generation === undefined) return;
    generation.read += 1;
    if (generation.read * ACKNOWLEDGED_PARTS < this.unreadDeltasMax) return;
    this.post({ type: 'read', id, deltas: generation.read });
    generation.read = 0;
  }

  /** Tells the process to end one choice. */
  stop(id: number, choice: number): void {
    this.post({ type: 'stop', id, choice });
  }

  /** Tells the process to stop; harmless when the generation has ended. */
  cancel(id: number): void {
    this.post({ type: 'cancel', id });
  }

  /** Lets go of the models and ends the child, generations or not. */
  async close(): Promise<void> {
    this.hold();
    if (this.generations.size === 0) this.post({ type: 'close' });
    else this.child.kill('SIGKILL');
    await this.exited;
  }

  /** The messages of one turn leave together. */
  private post(message: ToChild<Task>): void {
    this.unsent.push(message);
    if (this.unsent.length === 1) setImmediate(() => this.flush());
  }

  private flush(): void {
    const messages = this.unsent;
    this.unsent = [];
    // An ended child gets no messages; its exit fails every pending request.
    this.child.send(messages, () => undefined);
  }

  /** This process must not end under a running generation … */
  private hold(): void {
    this.child.ref();
    this.child.channel?.ref();
  }

  /** … nor live on for an idle child. */
  private rest(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private deliver(message: Message): void {
    const generation = this.generations.get(message.id);
    if (message.type === 'done' || message.type === 'failed') this.finish(message.id);
    generation?.inbox.put(message);
  }

  private finish(id: number): void {
    const generation = this.generations.get(id);
    this.generations.delete(id);
    if (this.generations.size === 0) this.rest();
    generation?.ended();
  }

  private abandon(reason: string): void {
    for (const [id, { inbox }] of [...this.generations]) {
      this.finish(id);
      inbox.put(new EngineCrashedError(reason));
    }
  }
}
