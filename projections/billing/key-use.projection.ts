import { HoldCaptured, HoldPlaced } from '#events/billing/account.events.js';
import { keepingLatest } from '#platform/kernel/latest-value.js';
import { plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface KeyUse {
  /** When its last hold was placed. ISO 8601 UTC. */
  readonly lastUsedAt: string | null;
  /** Decimal micro-dollars, without later corrections. */
  readonly charged: string;
}

type KeyUseEvent = HoldPlaced | HoldCaptured;

export const keyUsesOf = (accountId: string): string => `${accountId}/`;

/** The id of the key is the one under which budgets count it. */
export const keyUseKey = (accountId: string, key: string): string => keyUsesOf(accountId) + key;

const project = ({ type, data }: KeyUseEvent, { lastUsedAt, charged }: KeyUse): KeyUse => {
  switch (type) {
    case 'HoldPlaced': {
      const { placedAt } = data;
      const isLater = lastUsedAt === null || placedAt > lastUsedAt;
      return { lastUsedAt: isLater ? placedAt : lastUsedAt, charged };
    }
    case 'HoldCaptured':
      return { lastUsedAt, charged: plus(charged, data.amountMicroUsd) };
  }
};

const keysOfUse = keepingLatest((key, accountId: string) => [keyUseKey(accountId, key)]);

/** The last paid use of each key, and the sum of its charges. */
export const keyUse: Projection<KeyUseEvent, KeyUse> = {
  name: 'key-use',
  version: 1,
  on: { HoldPlaced, HoldCaptured },
  keys: ({ data: { accountId, key } }) => (key === undefined ? [] : keysOfUse(key, accountId)),
  initial: () => ({ lastUsedAt: null, charged: '0' }),
  project,
};
