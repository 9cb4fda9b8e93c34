/** SpikingJelly on torch as a process of its own, which runs ports of the same networks. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Readable, type Writable } from 'node:stream';
import { type Lane, type Task, type Timing } from './spiking-lanes.js';

const SCRIPT = path.resolve('test/oracles/spiking/timed_networks.py');

export class SpikingPeer implements Lane {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  /** @param threads torch's own choice where null */
  constructor(
    python: string,
    readonly name: string,
    threads: number | null,
  ) {
    const parameters = threads === null ? [SCRIPT] : [SCRIPT, String(threads)];
    this.#process = spawn(python, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** @throws Error when the process has ended */
  async run(task: Task): Promise<Timing> {
    this.#process.stdin.write(`${JSON.stringify(task)}\n`);
    const line = await this.#answers.next();
    if (line.done === true) throw new Error(`${this.name} ended before it answered`);
    return JSON.parse(line.value) as Timing;
  }

  close(): void {
    this.#process.stdin.end();
  }
}
