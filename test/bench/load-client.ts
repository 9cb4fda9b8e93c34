import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type LoadOrder, type LoadResult } from './load/load-run.js';
import { keepUntilExit } from './peer-process.js';

type Reply = { readonly result: LoadResult } | { readonly error: string };

/** The load generator in its own process, so that nothing but load runs on its event loop. */
export class LoadClient {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(path.join(import.meta.dirname, 'load', 'load-generator.js'));
    keepUntilExit(this.#child);
  }

  async run(order: LoadOrder): Promise<LoadResult> {
    this.#child.send(order);
    const [reply] = (await once(this.#child, 'message')) as [Reply];
    if ('error' in reply) throw new Error(`load generator: ${reply.error}`);
    return reply.result;
  }

  close(): void {
    this.#child.disconnect();
  }
}
