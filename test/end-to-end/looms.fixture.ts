import { Injectable, Module } from '@nestjs/common';
import { z } from 'zod';
import {
  defineJob,
  type Finished,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { defineArea } from '#platform/runtime/areas/area.js';

const Cloth = z.strictObject({ rows: z.int().nonnegative() });
type Cloth = z.infer<typeof Cloth>;

/** Weaves one row for each time that a test lets it. */
@Injectable()
export class Loom implements JobRunner<Cloth, Cloth, Cloth, Cloth> {
  #allowed = 0;
  #wake: () => void = () => undefined;

  allow(rows: number): void {
    this.#allowed += rows;
    this.#wake();
  }

  async *run(
    { input: { rows: total } }: { readonly input: Cloth },
    signal: AbortSignal,
  ): AsyncGenerator<Progress<Cloth, Cloth>, Finished<Cloth>, void> {
    for (let done = 1; done <= total; done += 1) {
      await this.#next(signal);
      yield { done, total, shown: { rows: done }, checkpoint: { rows: done }, usage: [] };
    }
    return { result: { rows: total }, shown: { rows: total }, usage: [] };
  }

  async #next(signal: AbortSignal): Promise<void> {
    while (this.#allowed === 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.#allowed -= 1;
  }
}

/** A job that is free and runs as long as a test likes. */
export const weavingJob = defineJob({
  name: 'weaving',
  title: 'Weaving',
  input: Cloth,
  progress: Cloth,
  checkpoint: Cloth,
  result: Cloth,
  place: { on: 'areas', runner: Loom },
  limits: {
    openPerAccountMax: 10,
    runningPerAccountMax: 1,
    runningPerHostMax: 1,
    queueMsMax: 600_000,
    runMsMax: 600_000,
  },
  retry: { attemptsMax: 3, backOff: { firstMs: 100, maxMs: 1_000 }, failures: {} },
  price: null,
});

@Module({ providers: [Loom] })
class LoomsModule {}

export const loomsArea = defineArea({
  name: 'looms',
  description: 'Cloth, for tests of jobs.',
  module: LoomsModule,
  jobs: [weavingJob],
});
