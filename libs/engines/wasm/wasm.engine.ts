import { WasmThread } from './wasm-thread.js';
import { WasmError } from './wasm.errors.js';
import { type WasmEnd, type WasmTask } from './wasm.protocol.js';

/** Runs modules, each in a thread of its own, one of which is kept ready for the next task. */
export class WasmEngine {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #spare: WasmThread | undefined;
  #fuel = 0;

  /** Fuel of all runs. */
  get fuel(): number {
    return this.#fuel;
  }

  get running(): number {
    return this.#running.size;
  }

  /** @throws WasmError when the module cannot be started, and `closed` */
  async run(task: WasmTask, signal: AbortSignal): Promise<WasmEnd> {
    if (this.#isClosing()) throw closed();
    const thread = this.#spare ?? new WasmThread();
    this.#spare = undefined;
    const run = thread.run(task, AbortSignal.any([signal, this.#closing.signal]));
    const settled = run.catch(() => undefined);
    this.#running.add(settled);
    try {
      const end = await run;
      this.#fuel += end.fuel;
      return end;
    } finally {
      this.#running.delete(settled);
      if (!this.#isClosing()) this.#spare ??= new WasmThread();
    }
  }

  /** Running modules fail with `closed`. */
  async close(): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all([this.#spare?.close(), ...this.#running]);
    this.#spare = undefined;
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }
}

const closed = (): WasmError => new WasmError('closed', 'the engine stops');
