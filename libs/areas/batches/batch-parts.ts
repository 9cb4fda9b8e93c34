import { Injectable } from '@nestjs/common';
import { doubtsOf } from '#events/token-usage.vocabulary.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { type BatchPart, byRigAndMeter, rangesOf, sumOf } from './batch-checkpoint.js';
import { subjectOf } from './batch-records.js';
import { type ItemResult } from './item-result.js';

/** Whose parts. */
export interface PartsOwner {
  readonly userId: number;
  readonly batchId: string;
}

/**
 * The results of finished lines, in blobs that the key of their user seals. A part is stored before
 * a checkpoint names it, retained when the checkpoint is in the log, and released when the files
 * are written. A part that no checkpoint names is swept.
 */
@Injectable()
export class BatchParts {
  constructor(private readonly blobs: Blobs) {}

  async store({ userId }: PartsOwner, results: readonly ItemResult[]): Promise<BatchPart> {
    const owner = subjectOf(userId);
    const completed = results.filter(({ isCompleted }) => isCompleted);
    const failed = results.filter(({ isCompleted }) => !isCompleted);
    const [output, errors] = await Promise.all([
      this.#put(owner, completed),
      this.#put(owner, failed),
    ]);
    return {
      lines: rangesOf(results.map(({ number }) => number)),
      completed: completed.length,
      failed: failed.length,
      output,
      errors,
      usage: [
        ...sumOf(
          results.flatMap(({ used }) => used),
          byRigAndMeter,
        ),
      ],
      ...doubtsOf(results),
    };
  }

  async *read(
    { userId }: PartsOwner,
    parts: readonly BatchPart[],
    kind: 'output' | 'errors',
  ): AsyncGenerator<Uint8Array, void, void> {
    const owner = subjectOf(userId);
    for (const { [kind]: address } of parts) {
      if (address === null) continue;
      const { content } = await this.blobs.open({ address, owner });
      yield* content;
    }
  }

  async retain(owner: PartsOwner, parts: readonly BatchPart[]): Promise<void> {
    for (const ref of refsOf(owner, parts)) await this.blobs.retain(ref, holderOf(owner));
  }

  async release(owner: PartsOwner, parts: readonly BatchPart[]): Promise<void> {
    for (const ref of refsOf(owner, parts)) await this.blobs.release(ref, holderOf(owner));
  }

  async #put(owner: string, results: readonly ItemResult[]): Promise<string | null> {
    if (results.length === 0) return null;
    const content = results.map(({ text }) => `${text}\n`).join('');
    const { address } = await this.blobs.put(oncePiece(content), { owner });
    return address;
  }
}

const holderOf = ({ batchId }: PartsOwner): string => `batch:${batchId}`;

const refsOf = ({ userId }: PartsOwner, parts: readonly BatchPart[]) => {
  const owner = subjectOf(userId);
  return parts
    .flatMap(({ output, errors }) => [output, errors])
    .filter((address) => address !== null)
    .map((address) => ({ address, owner }));
};

// eslint-disable-next-line @typescript-eslint/require-await -- the port takes a stream
async function* oncePiece(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text);
}
