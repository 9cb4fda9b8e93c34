import {
  AccountOpened,
  FundsDeposited,
  HoldCaptured,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
  type PriceLine,
} from '#events/billing/account.events.js';
import { type AccountCommand } from './account.decider.js';

/** The account, the events and the commands that specifications of billing speak of. */
export const ACCOUNT = '7';
export const HOLD = '01890a5d-ac96-774b-bcce-b302099a8057';
export const OTHER_HOLD = '01890a5d-ac96-774b-bcce-b302099a8058';
export const OPENED_AT = '2026-11-21T04:48:00.000Z';
export const PLACED_AT = '2026-11-21T05:00:00.000Z';
export const ENDED_AT = '2026-11-21T05:00:02.500Z';
export const EXPIRES_AT = '2026-11-21T05:11:00.000Z';

const accountId = ACCOUNT;
const HASH = 'a1'.repeat(32);

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

/** Facts; amounts are micro-dollars. */
export const opened = AccountOpened.of({ accountId, currency: 'USD', openedAt: OPENED_AT });

export const deposited = (
  amount: number,
  availableAfter: number,
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

const holding = (holdId: string, tokens: Tokens) =>
  ({
    accountId,
    holdId,
    purpose: 'chat_completion',
    lines: linesOf(tokens),
    rateCardVersion: 3,
    modelAsked: 'acme/llama-70b',
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
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

const charging = (holdId: string, tokens: Tokens) =>
  ({
    accountId,
    holdId,
    lines: linesOf(tokens),
    usageSource: 'provider',
    excess: [],
    outcome: 'completed',
    models: { asked: 'acme/llama-70b', sent: 'llama-70b', answered: 'llama-70b-awq' },
    rig: 'local-vllm',
    attempts: 1,
    promptHash: HASH,
    replyHash: HASH,
    capturedAt: ENDED_AT,
  }) satisfies (AccountCommand & { type: 'CaptureHold' })['data'];

export const captured = (
  tokens: Tokens,
  amount: number,
  released: number,
  availableAfter: number,
  holdId = HOLD,
): HoldCaptured =>
  HoldCaptured.of({
    ...charging(holdId, tokens),
    purpose: 'chat_completion',
    rateCardVersion: 3,
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
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

export const expired = (amount: number, availableAfter: number, holdId = HOLD): HoldExpired =>
  HoldExpired.of({
    accountId,
    holdId,
    expiredAt: EXPIRES_AT,
    amountMicroUsd: String(amount),
    availableMicroUsd: String(availableAfter),
  });

/** Commands. */
export const open: AccountCommand = { type: 'OpenAccount', data: opened.data };

export const deposit = (amount: bigint | number, depositId = 'first'): AccountCommand => ({
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

export const place = (
  tokens: Tokens,
  { holdId = HOLD, outputAtLeast = null as number | null } = {},
): AccountCommand => ({
  type: 'PlaceHold',
  data: {
    ...holding(holdId, tokens),
    shrink: outputAtLeast === null ? null : { meter: 'output_tokens', atLeast: outputAtLeast },
  },
});

export const capture = (tokens: Tokens, holdId = HOLD): AccountCommand => ({
  type: 'CaptureHold',
  data: charging(holdId, tokens),
});

export const release = (holdId = HOLD): AccountCommand => ({
  type: 'ReleaseHold',
  data: { accountId, holdId, reason: 'upstream_failed', releasedAt: ENDED_AT },
});

export const expire = (expiredAt = EXPIRES_AT, holdId = HOLD): AccountCommand => ({
  type: 'ExpireHold',
  data: { accountId, holdId, expiredAt },
});
