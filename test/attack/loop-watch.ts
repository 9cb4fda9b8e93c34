import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePorts } from '../servers/server-process.js';

/** The longest turn of the event loop that one request may cause, in CPU time of its thread. */
export const HELD_MS_MAX = 100;
/** A request above the limit is sent again: a first time loads modules, and collects garbage. */
const REPEATS = 3;
const BASELINE_READS = 20;

/** Watches the event loop of a process in whose environment it is. */
export class LoopWatch {
  /** The CPU time of the calibration on an idle processor. */
  #baseline = Infinity;

  private constructor(private readonly port: number) {}

  static async open(): Promise<LoopWatch> {
    const [port = 0] = await freePorts(1);
    return new LoopWatch(port);
  }

  get environment(): NodeJS.ProcessEnv {
    const preload = path.join(import.meta.dirname, 'loop-watch.preload.ts');
    const options = `--import ${pathToFileURL(preload).href} --disable-warning=ExperimentalWarning`;
    return { NODE_OPTIONS: options, LOOP_WATCH_PORT: String(this.port) };
  }

  get #url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** To be called once the process is ready. */
  async begin(): Promise<void> {
    for (let n = 0; n < BASELINE_READS; n += 1) await this.#calibration();
    await this.#read();
  }

  /**
   * The milliseconds for which a request holds the loop. One above the limit is sent again, and the
   * shortest time counts, less where the processor is slower than before.
   */
  async heldBy(send: () => Promise<unknown>): Promise<number> {
    await send();
    let shortest = await this.#read();
    for (let n = 0; n < REPEATS && shortest > HELD_MS_MAX; n += 1) {
      await this.#read();
      await send();
      const held = await this.#read();
      shortest = Math.min(shortest, (held * this.#baseline) / (await this.#calibration()));
    }
    return shortest;
  }

  /** Holds the loop for longer than the limit, to test the watch. */
  async compute(): Promise<void> {
    await fetch(`${this.#url}/compute`);
  }

  async #calibration(): Promise<number> {
    const calibration = await this.#read('calibrate');
    this.#baseline = Math.min(this.#baseline, calibration);
    return calibration;
  }

  /** By default the longest turn since the last reading. */
  async #read(what = ''): Promise<number> {
    return (await (await fetch(`${this.#url}/${what}`)).json()) as number;
  }
}
