import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { ADA, type BlobsStage } from './blobs.fixture.js';

const PIECE = Buffer.alloc(1_048_576, 'memory');
const PIECES = 96;
const BYTES = PIECES * PIECE.length;
/** Half of the content: the parts of an upload in flight fit, gathered content does not. */
const GROWTH_MAX = 48 * 1_048_576;
/** Each sample collects garbage, which takes long in a process with a large heap. */
const SAMPLED_PIECES = 24;

/** Memory does not grow with the size of a blob. */
export const memoryContract = (stage: BlobsStage) =>
  describe('memory', () => {
    it(`grows by less than ${GROWTH_MAX} bytes for a blob of ${BYTES}`, async () => {
      const growth = new BufferGrowth();
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let n = 0; n < PIECES; n += 1) {
          if (n % SAMPLED_PIECES === 0) growth.sample();
          yield await Promise.resolve(PIECE);
        }
        growth.sample();
      }
      const stored = await stage.blobs.put(source(), { owner: ADA });
      expect(stored.bytes).toBe(BYTES);
      let [read, sampledAt] = [0, 0];
      for await (const piece of (await stage.blobs.open(stored)).content) {
        read += piece.length;
        if (read - sampledAt < SAMPLED_PIECES * PIECE.length) continue;
        sampledAt = read;
        growth.sample();
      }
      expect(read).toBe(stored.bytes);
      expect(growth.max).toBeLessThan(GROWTH_MAX);
    });
  });

/** How far the memory of buffers in use rises above its start. */
class BufferGrowth {
  readonly #collect: () => void;
  readonly #start: number;
  max = 0;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.#collect = runInNewContext('gc') as () => void;
    this.#collect();
    this.#start = process.memoryUsage().arrayBuffers;
  }

  sample(): void {
    this.#collect();
    // A thread frees the buffers that one collection found, and the next collection waits for it.
    if (this.#growth >= GROWTH_MAX) this.#collect();
    this.max = Math.max(this.max, this.#growth);
  }

  get #growth(): number {
    return process.memoryUsage().arrayBuffers - this.#start;
  }
}
