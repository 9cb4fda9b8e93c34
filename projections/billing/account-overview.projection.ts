import {
  type AccountEvent,
  AccountOpened,
  ChargeAdjusted,
  DepositReversed,
  FundsDeposited,
  HoldCaptured,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
  HoldRenewed,
  StatementClosed,
} from '#events/billing/account.events.js';
import {
  AccountClosed,
  AllotmentReceived,
  AllotmentSent,
  SubAccountAdded,
  SubAccountClosed,
} from '#events/billing/allotment.events.js';
import { BudgetRemoved, BudgetSet, BudgetThresholdReached } from '#events/billing/budget.events.js';
import { type ProductGroup } from '#events/hold.vocabulary.js';
import { minus, plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** All money as decimal micro-dollars. */
export interface AccountOverview {
  readonly accountId: string;
  /** Deposits less charges less open holds plus adjustments. */
  readonly available: string;
  /** Less the deposits that went back; with received allotments, less the sent ones. */
  readonly deposited: string;
  /** Charges by the group of their product. */
  readonly charged: Readonly<Record<ProductGroup, string>>;
  /** Given back less charged in addition. */
  readonly adjusted: string;
  readonly held: string;
  readonly openHolds: number;
}

type Charged = AccountOverview['charged'];

const withCharge = (charged: Charged, group: ProductGroup, amount: string): Charged => ({
  inference: group === 'inference' ? plus(charged.inference, amount) : charged.inference,
  compute: group === 'compute' ? plus(charged.compute, amount) : charged.compute,
});

const withHolds = (
  before: AccountOverview,
  available: string,
  held: string,
  openHolds: number,
  charged = before.charged,
): AccountOverview => ({
  accountId: before.accountId,
  available,
  deposited: before.deposited,
  charged,
  adjusted: before.adjusted,
  held,
  openHolds,
});

const project = ({ type, data }: AccountEvent, document: AccountOverview): AccountOverview => {
  switch (type) {
    case 'AccountOpened':
    case 'SubAccountAdded':
    case 'SubAccountClosed':
    case 'AccountClosed':
    // They move no money.
    case 'BudgetSet':
    case 'BudgetRemoved':
    case 'BudgetThresholdReached':
      return document;
    case 'FundsDeposited':
    case 'AllotmentReceived': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      return { ...document, available, deposited: plus(document.deposited, amountMicroUsd) };
    }
    case 'DepositReversed':
    case 'AllotmentSent': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      return { ...document, available, deposited: minus(document.deposited, amountMicroUsd) };
    }
    case 'HoldPlaced': {
      const { amountMicroUsd, availableMicroUsd } = data;
      const held = plus(document.held, amountMicroUsd);
      return withHolds(document, availableMicroUsd, held, document.openHolds + 1);
    }
    case 'HoldRenewed': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      return { ...document, available, held: plus(document.held, amountMicroUsd) };
    }
    case 'HoldCaptured': {
      const { group, amountMicroUsd, releasedMicroUsd, availableMicroUsd } = data;
      const held = minus(document.held, plus(amountMicroUsd, releasedMicroUsd));
      const charged = withCharge(document.charged, group, amountMicroUsd);
      return withHolds(document, availableMicroUsd, held, document.openHolds - 1, charged);
    }
    case 'HoldReleased':
    case 'HoldExpired': {
      const { amountMicroUsd, availableMicroUsd } = data;
      const held = minus(document.held, amountMicroUsd);
      return withHolds(document, availableMicroUsd, held, document.openHolds - 1);
    }
    case 'ChargeAdjusted': {
      const { amountMicroUsd, availableMicroUsd: available } = data;
      return { ...document, available, adjusted: plus(document.adjusted, amountMicroUsd) };
    }
    case 'StatementClosed':
      return document;
  }
};

/** What does an account have, what has it spent, and what is held for running work? */
export const accountOverview: Projection<AccountEvent, AccountOverview> = {
  name: 'account-overview',
  version: 1,
  on: {
    AccountOpened,
    FundsDeposited,
    DepositReversed,
    HoldPlaced,
    HoldRenewed,
    HoldCaptured,
    HoldReleased,
    HoldExpired,
    ChargeAdjusted,
    StatementClosed,
    BudgetSet,
    BudgetRemoved,
    BudgetThresholdReached,
    SubAccountAdded,
    SubAccountClosed,
    AccountClosed,
    AllotmentSent,
    AllotmentReceived,
  },
  keys: ({ data }) => [data.accountId],
  initial: (accountId) => ({
    accountId,
    available: '0',
    deposited: '0',
    charged: { inference: '0', compute: '0' },
    adjusted: '0',
    held: '0',
    openHolds: 0,
  }),
  project,
};
