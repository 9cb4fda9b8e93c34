import {
  type AccountEvent,
  AccountOpened,
  FundsDeposited,
  HoldCaptured,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
} from '#events/billing/account.events.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** All money as decimal micro-dollars. */
export interface AccountOverview {
  readonly accountId: string;
  /** Deposits less charges less open holds. */
  readonly available: string;
  readonly deposited: string;
  /** Charges for inference; the account's other charges are in `chargedCompute`. */
  readonly chargedInference: string;
  readonly chargedCompute: string;
  readonly held: string;
  readonly openHolds: number;
}

const plus = (sum: string, amount: string): string =>
  toDecimal(fromDecimal(sum) + fromDecimal(amount));

const minus = (sum: string, amount: string): string =>
  toDecimal(fromDecimal(sum) - fromDecimal(amount));

const project = ({ type, data }: AccountEvent, document: AccountOverview): AccountOverview => {
  switch (type) {
    case 'AccountOpened':
      return document;
    case 'FundsDeposited': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      return { ...document, available, deposited: plus(document.deposited, amountMicroUsd) };
    }
    case 'HoldPlaced': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      const held = plus(document.held, amountMicroUsd);
      return { ...document, available, held, openHolds: document.openHolds + 1 };
    }
    case 'HoldCaptured': {
      const { amountMicroUsd, releasedMicroUsd, availableMicroUsd: available } = data;
      const held = minus(document.held, plus(amountMicroUsd, releasedMicroUsd));
      const chargedInference = plus(document.chargedInference, amountMicroUsd);
      return { ...document, available, held, chargedInference, openHolds: document.openHolds - 1 };
    }
    case 'HoldReleased':
    case 'HoldExpired': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      const held = minus(document.held, amountMicroUsd);
      return { ...document, available, held, openHolds: document.openHolds - 1 };
    }
  }
};

/** What does an account have, what has it spent, and what is held for running work? */
export const accountOverview: Projection<AccountEvent, AccountOverview> = {
  name: 'account-overview',
  version: 1,
  on: { AccountOpened, FundsDeposited, HoldPlaced, HoldCaptured, HoldReleased, HoldExpired },
  keys: ({ data }) => [data.accountId],
  initial: (accountId) => ({
    accountId,
    available: '0',
    deposited: '0',
    chargedInference: '0',
    chargedCompute: '0',
    held: '0',
    openHolds: 0,
  }),
  project,
};
