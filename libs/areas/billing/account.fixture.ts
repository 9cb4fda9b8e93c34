import { z } from 'zod';
import {
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
import { type HoldOrigin, type PriceLine } from '#events/hold.vocabulary.js';
import { defineProduct } from '#platform/ledger/product.js';
import { type AccountCommand } from './account.decider.js';
import { type StatementTaxTerms } from './statements/close-statement.js';

/** The account, the events and the commands in the specs of billing. */
export const ACCOUNT = '7';
export const HOLD = '01890a5d-ac96-774b-bcce-b302099a8057';
export const OTHER_HOLD = '01890a5d-ac96-774b-bcce-b302099a8058';
export const OPENED_AT = '2026-11-21T04:48:00.000Z';
export const PLACED_AT = '2026-11-21T05:00:00.000Z';
export const ENDED_AT = '2026-11-21T05:00:02.500Z';
export const EXPIRES_AT = '2026-11-21T05:11:00.000Z';
/** The month of all these instants, and instants of the next one. */
export const MONTH = '2026-11';
export const ADJUSTED_AT = '2026-12-02T08:00:00.000Z';
export const CLOSED_AT = '2026-12-03T00:00:00.000Z';
export const RENEWED_AT = '2026-11-21T05:10:00.000Z';
export const RENEWED_UNTIL = '2026-11-21T05:21:00.000Z';

/** Two products that no area has: billing knows products by their declaration only. */
export const translation = defineProduct({
  purpose: 'translation',
  group: 'inference',
  title: 'Translations',
  meters: { input_tokens: 'tokens of the text', output_tokens: 'tokens of the translation' },
  holdEvidence: z.strictObject({ language: z.string() }),
  captureEvidence: z.strictObject({ pages: z.int() }),
});
export const rental = defineProduct({
  purpose: 'loom_rental',
  group: 'compute',
  title: 'Rented looms',
  meters: { loom_seconds: 'seconds of one loom' },
  captureEvidence: z.strictObject({}),
});

type Command<Type> = Extract<AccountCommand, { readonly type: Type }>;

const accountId = ACCOUNT;

/** Input and output tokens: a thousand cost 150 and 600 micro-dollars. */
export type Tokens = readonly [input: number, output: number];

export const linesOf = ([input, output]: Tokens): PriceLine[] => [
  {
    meter: 'input_tokens',
    quantity: input,
    unitPriceMicroUsd: '150000',
    perUnits: 1_000_000,
  },
  {
    meter: 'output_tokens',
    quantity: output,
    unitPriceMicroUsd: '600000',
    perUnits: 1_000_000,
  },
];

export const LABELS = {
  key: '2b9ac6a26d6d9ca1',
  tags: ['env=prod', 'project=alpha'],
  endUser: '7f'.repeat(32),
};

/** The same fact of a hold that came from somewhere else. */
export const withOrigin = <Event extends HoldPlaced | HoldCaptured | HoldReleased | HoldExpired>(
  event: Event,
  origin: Partial<HoldOrigin>,
): Event => ({ ...event, data: { ...event.data, ...origin } });

/** Facts; amounts are micro-dollars. */
export const opened = AccountOpened.of({ accountId, currency: 'USD', openedAt: OPENED_AT });

export const deposited = (
  amount: bigint | number,
  availableAfter: bigint | number,
  depositId = 'first',
  depositNumber = 1,
): FundsDeposited =>
  FundsDeposited.of({
    accountId,
    depositId,
    depositNumber,
    amountMicroUsd: String(amount),
    method: 'manual_credit',
    reason: 'a present',
    depositedAt: OPENED_AT,
    availableMicroUsd: String(availableAfter),
  });

type ReversalKind = DepositReversed['data']['kind'];

export const reversed = (
  [amount, total]: readonly [amount: number, total: number],
  availableAfter: number,
  kind: ReversalKind = 'refund',
  reversalNumber = 1,
): DepositReversed =>
  DepositReversed.of({
    accountId,
    depositId: 'first',
    reversalNumber,
    kind,
    amountMicroUsd: String(amount),
    totalMicroUsd: String(total),
    reason: 'the payer asked',
    reversedAt: ENDED_AT,
    availableMicroUsd: String(availableAfter),
  });

const holding = (holdId: string, tokens: Tokens) =>
  ({
    accountId,
    holdId,
    purpose: translation.purpose,
    lines: linesOf(tokens),
    rateCardVersion: 3,
    evidence: { language: 'quechua' },
    placedAt: PLACED_AT,
    expiresAt: EXPIRES_AT,
  }) as const;

export const placed = (
  tokens: Tokens,
  amount: number,
  availableAfter: number,
  holdId = HOLD,
): HoldPlaced =>
  HoldPlaced.of({
    ...holding(holdId, tokens),
    group: translation.group,
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

const renewing = (tokens: Tokens, expiresAt: string, holdId: string) => ({
  accountId,
  holdId,
  purpose: translation.purpose,
  lines: linesOf(tokens),
  expiresAt,
  renewedAt: RENEWED_AT,
});

export const renewed = (
  tokens: Tokens,
  amount: number,
  availableAfter: number,
  { expiresAt = RENEWED_UNTIL, holdId = HOLD } = {},
): HoldRenewed =>
  HoldRenewed.of({
    ...renewing(tokens, expiresAt, holdId),
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

const charging = (holdId: string, tokens: Tokens) =>
  ({
    accountId,
    holdId,
    purpose: translation.purpose,
    rig: 'local-vllm',
    lines: linesOf(tokens),
    usageSource: 'provider',
    excess: [],
    outcome: 'completed',
    evidence: { pages: 3 },
    capturedAt: ENDED_AT,
  }) satisfies Command<'CaptureHold'>['data'];

export const captured = (
  tokens: Tokens,
  amount: number,
  released: number,
  availableAfter: number,
  holdId = HOLD,
): HoldCaptured =>
  HoldCaptured.of({
    ...charging(holdId, tokens),
    group: translation.group,
    rateCardVersion: 3,
    placedAt: PLACED_AT,
    amountMicroUsd: String(amount),
    releasedMicroUsd: String(released),
    availableMicroUsd: String(availableAfter),
  });

export const released = (amount: number, availableAfter: number, holdId = HOLD): HoldReleased =>
  HoldReleased.of({
    accountId,
    holdId,
    reason: 'upstream_failed',
    releasedAt: ENDED_AT,
    purpose: translation.purpose,
    placedAt: PLACED_AT,
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

export const expired = (amount: number, availableAfter: number, holdId = HOLD): HoldExpired =>
  HoldExpired.of({
    accountId,
    holdId,
    expiredAt: EXPIRES_AT,
    purpose: translation.purpose,
    placedAt: PLACED_AT,
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

const adjusting = (amount: bigint | number, adjustmentId: string) =>
  ({
    accountId,
    adjustmentId,
    kind: 'credit_note',
    amountMicroUsd: String(amount),
    refersTo: { month: MONTH, holdId: null },
    rerating: null,
    reason: 'slow answers',
    adjustedAt: ADJUSTED_AT,
  }) as const;

export const adjusted = (
  amount: number,
  availableAfter: number,
  { adjustmentId = 'first', adjustmentNumber = 1 } = {},
): ChargeAdjusted =>
  ChargeAdjusted.of({
    ...adjusting(amount, adjustmentId),
    adjustmentNumber,
    availableMicroUsd: String(availableAfter),
  });

/** The operator and the account have said nothing of themselves. */
const PARTIES = { seller: null, sealedCustomer: null };

/** Amounts in the order of the statement: opening, deposits, charges, adjustments, closing. */
export const statementClosed = (
  [opening, deposits, charges, adjustments, closing]: readonly number[],
  availableAfter: number,
  { month = MONTH, tax = null as StatementClosed['data']['tax'] } = {},
): StatementClosed =>
  StatementClosed.of({
    accountId,
    month,
    openingMicroUsd: String(opening),
    depositedMicroUsd: String(deposits),
    chargedMicroUsd: String(charges),
    adjustedMicroUsd: String(adjustments),
    closingMicroUsd: String(closing),
    tax,
    parties: PARTIES,
    closedAt: CLOSED_AT,
    availableMicroUsd: String(availableAfter),
  });

/** Commands. */
export const adjust = (
  amount: bigint | number,
  adjustmentId = 'first',
): Command<'AdjustCharge'> => ({ type: 'AdjustCharge', data: adjusting(amount, adjustmentId) });

export const closeStatement = (
  month = MONTH,
  tax: StatementTaxTerms | null = null,
  closedAt = CLOSED_AT,
): Command<'CloseStatement'> => ({
  type: 'CloseStatement',
  data: { accountId, month, tax, parties: PARTIES, closedAt },
});

export const open: Command<'OpenAccount'> = { type: 'OpenAccount', data: opened.data };

export const deposit = (amount: bigint | number, depositId = 'first'): Command<'DepositFunds'> => ({
  type: 'DepositFunds',
  data: {
    accountId,
    depositId,
    amountMicroUsd: String(amount),
    method: 'manual_credit',
    reason: 'a present',
    depositedAt: OPENED_AT,
  },
});

export const reverse = (
  total: number,
  kind: ReversalKind = 'refund',
  depositId = 'first',
): Command<'ReverseDeposit'> => ({
  type: 'ReverseDeposit',
  data: {
    accountId,
    depositId,
    kind,
    totalMicroUsd: String(total),
    reason: 'the payer asked',
    reversedAt: ENDED_AT,
  },
});

export const place = (
  tokens: Tokens,
  { holdId = HOLD, outputAtLeast = null as number | null } = {},
): Command<'PlaceHold'> => ({
  type: 'PlaceHold',
  data: {
    ...holding(holdId, tokens),
    group: translation.group,
    shrink: outputAtLeast === null ? null : { meter: 'output_tokens', atLeast: outputAtLeast },
  },
});

export const renew = (
  tokens: Tokens,
  { expiresAt = RENEWED_UNTIL, holdId = HOLD } = {},
): Command<'RenewHold'> => ({ type: 'RenewHold', data: renewing(tokens, expiresAt, holdId) });

export const capture = (tokens: Tokens, holdId = HOLD): Command<'CaptureHold'> => ({
  type: 'CaptureHold',
  data: charging(holdId, tokens),
});

export const release = (holdId = HOLD): Command<'ReleaseHold'> => ({
  type: 'ReleaseHold',
  data: { accountId, holdId, reason: 'upstream_failed', releasedAt: ENDED_AT },
});

export const settle = (holdId = HOLD): Command<'SettleHold'> => ({
  type: 'SettleHold',
  data: { accountId, holdId, reason: 'upstream_failed', releasedAt: ENDED_AT },
});

export const expire = (expiredAt = EXPIRES_AT, holdId = HOLD): Command<'ExpireHold'> => ({
  type: 'ExpireHold',
  data: { accountId, holdId, expiredAt },
});
