import { Worker } from 'node:worker_threads';
import { type TrainingEnd, type TrainingPiece, type TrainingTask } from './training.protocol.js';
import { TrainingError } from './training.errors.js';
import { type FromTraining } from './training.worker.js';

/** A failure in the thread, with the code that it had there. */
export class TrainingFailedError extends Error {
  override readonly name = 'TrainingFailedError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Runs a training in a thread of its own, which ends with it.
 * @throws TrainingFailedError; TrainingError `crashed`
 * @throws the reason of the signal when it aborts
 */
export async function* runTraining(
  task: TrainingTask,
  signal: AbortSignal,
): AsyncGenerator<TrainingPiece, TrainingEnd, void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./training.worker.js', import.meta.url), { workerData: task });
  const messages = new Messages(worker, signal);
  try {
    for (;;) {
      const message = await messages.next();
      if (message.kind === 'piece') yield message.piece;
      else if (message.kind === 'end') return message.end;
      else throw new TrainingFailedError(message.code ?? 'failed', message.message);
    }
  } finally {
    messages.close();
    await worker.terminate();
  }
}

class Messages {
  readonly #waiting: FromTraining[] = [];
  #failure: Error | undefined;
  #wake: () => void = () => undefined;
  readonly #onAbort: () => void;

  constructor(
    worker: Worker,
    private readonly signal: AbortSignal,
  ) {
    worker.on('message', (message: FromTraining) => {
      this.#waiting.push(message);
      this.#wake();
    });
    const fail = (detail: string): void => {
      this.#failure ??= new TrainingError('crashed', `the thread of the training ${detail}`);
      this.#wake();
    };
    worker.on('error', (error) => fail(`has failed: ${String(error)}`));
    worker.on('exit', () => fail('has ended'));
    this.#onAbort = () => this.#wake();
    signal.addEventListener('abort', this.#onAbort);
  }

  async next(): Promise<FromTraining> {
    for (;;) {
      this.signal.throwIfAborted();
      const message = this.#waiting.shift();
      if (message !== undefined) return message;
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.signal.removeEventListener('abort', this.#onAbort);
  }
}
