import { type UserId } from '#events/vocabulary.js';

/** The paid use of a key. */
export interface KeyUse {
  /** ISO 8601 UTC; null: not yet. */
  readonly lastUsedAt: string | null;
  readonly chargedMicroUsd: bigint;
}

/** How the keys of a user were used. The composition root binds it. */
export abstract class KeyUses {
  /** By the id under which a key counts; a key that was not used is absent. */
  abstract of(userId: UserId): Promise<ReadonlyMap<string, KeyUse>>;
}
