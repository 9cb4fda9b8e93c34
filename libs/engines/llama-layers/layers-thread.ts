import { Worker } from 'node:worker_threads';
import { EngineCrashedError } from '../language-model/language-model.engine.errors.js';
import {
  type FromThread,
  type LayersTask,
  type ThreadSettings,
  type ToThread,
} from './llama-layers.protocol.js';

type Letter = FromThread | EngineCrashedError | 'aborted';

/** Letters for one generation, in order, for one reader. */
export class Letters {
  readonly #letters: Letter[] = [];
  #wake: (() => void) | undefined;

  put(letter: Letter): void {
    this.#letters.push(letter);
    this.#wake?.();
  }

  /** Waits for the next letter. @throws EngineCrashedError when the thread ended instead */
  async take(): Promise<FromThread | 'aborted'> {
    for (;;) {
      const letter = this.#letters.shift();
      if (letter instanceof EngineCrashedError) throw letter;
      if (letter !== undefined) return letter;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

interface Generation {
  readonly letters: Letters;
  readonly ended: () => void;
}

/** The engine's end of the channel to its thread. An idle thread keeps no process alive. */
export class LayersThread {
  readonly #worker: Worker;
  readonly #generations = new Map<number, Generation>();
  readonly #exited: Promise<void>;
  #ids = 0;

  /** @param onExit is called once, when no further generation can begin on this thread */
  constructor(settings: ThreadSettings, onExit: () => void) {
    this.#worker = new Worker(new URL('./llama-layers.worker.js', import.meta.url), {
      workerData: settings,
    });
    this.#worker.unref();
    let reason = 'its thread ended';
    this.#worker.on('message', (message: FromThread) => this.#deliver(message));
    this.#worker.on('error', (error: Error) => (reason = error.message));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        onExit();
        for (const id of [...this.#generations.keys()]) {
          this.#finish(id)?.letters.put(new EngineCrashedError(reason));
        }
        resolve();
      });
    });
  }

  /** @param ended is called when the thread has stopped working on it */
  start(task: LayersTask, ended: () => void): { readonly id: number; readonly letters: Letters } {
    this.#ids += 1;
    const letters = new Letters();
    if (this.#generations.size === 0) this.#worker.ref();
    this.#generations.set(this.#ids, { letters, ended });
    this.#post({ type: 'generate', id: this.#ids, task });
    return { id: this.#ids, letters };
  }

  acknowledge(id: number): void {
    this.#post({ type: 'read', id });
  }

  /** Harmless when the generation has ended. */
  cancel(id: number): void {
    this.#post({ type: 'cancel', id });
  }

  /** Ends the stages and the thread, generations or not. */
  async close(): Promise<void> {
    this.#worker.ref();
    this.#post({ type: 'close' });
    await this.#exited;
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #deliver(message: FromThread): void {
    const generation =
      message.type === 'delta' ? this.#generations.get(message.id) : this.#finish(message.id);
    generation?.letters.put(message);
  }

  #finish(id: number): Generation | undefined {
    const generation = this.#generations.get(id);
    this.#generations.delete(id);
    if (this.#generations.size === 0) this.#worker.unref();
    generation?.ended();
    return generation;
  }
}
