import { BatchEnded } from '#events/batches/batch.events.js';
import { ChargeAdjusted, HoldCaptured } from '#events/billing/account.events.js';
import { minus, plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';
import { slotKeysOf, withMember } from './time-slots.js';

export interface PlatformCharges {
  /** Charges less adjustments in decimal micro-dollars, which may be below zero. */
  readonly charged: string;
  /** Answered requests: charges for inference, and the completed lines of batches. */
  readonly inferences: number;
  /** Accounts that were charged, `MEMBERS_MAX` at most. */
  readonly accounts: readonly string[];
}

type Event = HoldCaptured | ChargeAdjusted | BatchEnded;

/** A batch is one charge: its lines are counted when it ends. */
const BATCH = 'batch';

const isInference = ({ group, purpose }: HoldCaptured['data']): boolean =>
  group === 'inference' && purpose !== BATCH;

const atOf = ({ type, data }: Event): string => {
  switch (type) {
    case 'HoldCaptured':
      return data.capturedAt;
    case 'ChargeAdjusted':
      return data.adjustedAt;
    case 'BatchEnded':
      return data.endedAt;
  }
};

const project = ({ type, data }: Event, before: PlatformCharges): PlatformCharges => {
  const accounts = withMember(before.accounts, data.accountId);
  const { charged, inferences } = before;
  switch (type) {
    case 'HoldCaptured':
      return {
        charged: plus(charged, data.amountMicroUsd),
        inferences: inferences + (isInference(data) ? 1 : 0),
        accounts,
      };
    case 'ChargeAdjusted':
      return {
        charged: minus(charged, data.amountMicroUsd),
        inferences,
        accounts,
      };
    case 'BatchEnded':
      return { charged, inferences: inferences + data.counts.completed, accounts };
  }
};

/** What did the platform charge, and how many requests did it answer, in each slot of time? */
export const platformCharges: Projection<Event, PlatformCharges> = {
  name: 'platform-charges',
  version: 1,
  on: { HoldCaptured, ChargeAdjusted, BatchEnded },
  keys: (event) => slotKeysOf(atOf(event)),
  initial: () => ({ charged: '0', inferences: 0, accounts: [] }),
  project,
};
