import { Inject, Injectable } from '@nestjs/common';
import { type BatchCreated, BatchId } from '#events/batches/batch.events.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type BatchInput, WINDOW_MS } from './batch-input.js';

export type BatchMetadata = Readonly<Record<string, string>>;

/** A batch that is created, its input valid or not. */
export type BatchFacts = Omit<BatchInput, 'model'> & {
  readonly batchId: string;
  readonly accountId: string;
  readonly model: string | null;
};

/** The facts of a batch. Its metadata is personal: the key of its user seals it. */
@Injectable()
export class BatchRecords {
  constructor(
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async created({ metadata, batchId, ...facts }: BatchFacts): Promise<BatchCreated['data']> {
    const { userId } = facts;
    const now = this.clock.now();
    return {
      ...facts,
      batchId: BatchId.parse(batchId),
      sealedMetadata: metadata && (await this.#seal(userId, batchId, metadata)),
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + WINDOW_MS).toISOString(),
    };
  }

  /** Null for none, and after the erasure of its user. */
  async metadataOf({
    userId,
    batchId,
    sealedMetadata,
  }: BatchCreated['data']): Promise<BatchMetadata | null> {
    if (sealedMetadata === null) return null;
    const { subjects } = this.secrets;
    const text = await subjects.open(subjectOf(userId), fieldOf(batchId), sealedMetadata);
    return text === null ? null : (JSON.parse(text) as BatchMetadata);
  }

  #seal(userId: number, batchId: string, metadata: BatchMetadata): Promise<string> {
    const text = JSON.stringify(metadata);
    return this.secrets.subjects.seal(subjectOf(userId), fieldOf(batchId), text);
  }
}

const fieldOf = (batchId: string): string => `batch-metadata:${batchId}`;

/** Whose key seals what belongs to a user. */
export const subjectOf = (userId: number): string => `user:${userId}`;
