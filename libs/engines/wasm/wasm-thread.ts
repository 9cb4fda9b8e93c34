import { Worker } from 'node:worker_threads';
import { METER_VERSION } from './metering/fuel-costs.js';
import { HOST_FUEL, readingFuelOf } from './metering/work-costs.js';
import { WasmError, type WasmFailureCode } from './wasm.errors.js';
import { EXIT_CODE, type WasmEnd, type WasmOutcome, type WasmTask } from './wasm.protocol.js';

/** The data that a thread starts with. */
export interface ThreadStart {
  /** One 64-bit number: the fuel that was spent so far. */
  readonly shared: SharedArrayBuffer;
}

type ThreadMessage =
  | { readonly type: 'started' }
  | { readonly type: 'ended'; readonly end: WasmEnd }
  | { readonly type: 'failed'; readonly code: WasmFailureCode; readonly message: string };

/** The heap is for the host's own code: the memories of modules lie outside of it. */
const RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 128,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
};
/** A thread looks at the clock between slices of fuel; one that does not is ended after this. */
const GRACE_MS = 500;

/** A thread that is loaded and waits for its only task. */
export class WasmThread {
  readonly #worker: Worker;
  readonly #shared = new SharedArrayBuffer(8);
  #hasTask = false;

  constructor() {
    const workerData: ThreadStart = { shared: this.#shared };
    this.#worker = new Worker(new URL('./wasm.worker.js', import.meta.url), {
      workerData,
      resourceLimits: RESOURCE_LIMITS,
      env: {},
      name: 'wasm',
    });
    // A spare thread does not keep the process alive.
    this.#worker.unref();
    // A spare thread that fails is found out by its task.
    this.#worker.on('error', () => undefined);
  }

  /**
   * Runs the task and ends the thread.
   * @throws WasmError when the module cannot be started; Error for a defect; the reason of the
   *   signal when it aborts
   */
  async run(task: WasmTask, signal: AbortSignal): Promise<WasmEnd> {
    if (this.#hasTask) throw new Error('a thread runs one task');
    this.#hasTask = true;
    this.#worker.ref();
    try {
      return await this.#ended(task, signal);
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ended(task: WasmTask, signal: AbortSignal): Promise<WasmEnd> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const stop = (settle: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = (): void => stop(() => reject(signal.reason as Error));
      const takeTimeUp = (): void =>
        stop(() =>
          resolve(this.#cut(task, 'timed_out', 'the time of the run was up', task.wallMsMax)),
        );
      worker.on('message', (message: ThreadMessage) => {
        if (message.type === 'started') timer = setTimeout(takeTimeUp, task.wallMsMax + GRACE_MS);
        else if (message.type === 'ended') stop(() => resolve(message.end));
        else stop(() => reject(new WasmError(message.code, message.message)));
      });
      worker.on('error', (error: Error & { readonly code?: string }) => {
        if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') {
          stop(() => reject(error));
          return;
        }
        const end = this.#cut(task, 'out_of_memory', 'the heap of the thread was full', 0);
        stop(() => resolve(end));
      });
      worker.on('exit', (code) => stop(() => reject(new Error(`the thread exited with ${code}`))));
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      else worker.postMessage(task);
    });
  }

  /**
   * The end of a run that could not report its own: its output is lost, its fuel is not. It pays at
   * least for its time.
   */
  #cut(
    { moduleBytes, fuelLimit }: WasmTask,
    outcome: Exclude<WasmOutcome, 'completed'>,
    message: string,
    elapsedMs: number,
  ): WasmEnd {
    const counted = Number(Atomics.load(new BigInt64Array(this.#shared), 0));
    const waited = Math.ceil(elapsedMs * HOST_FUEL.waitedMs);
    return {
      outcome,
      exitCode: EXIT_CODE[outcome],
      message,
      stdoutBase64: '',
      stderrBase64: '',
      outputTruncated: false,
      fuel: Math.min(fuelLimit, Math.max(counted, waited)),
      startFuel: readingFuelOf(moduleBytes),
      meterVersion: METER_VERSION,
      memoryBytes: null,
      elapsedMs,
    };
  }
}
