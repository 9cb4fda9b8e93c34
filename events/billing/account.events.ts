import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, MicroUsdDecimal } from '../vocabulary.js';

/** A reservation's id: the UUID of the request that made it. */
export const HoldId = z.uuid();

/** What was asked for, what was sent to the rig and what the rig said it answered with. */
const ModelNames = z.strictObject({
  asked: z.string().min(1),
  sent: z.string().min(1).nullable(),
  answered: z.string().min(1).nullable(),
});

/**
 * One line of a price: `quantity` units of `meter` at `unitPriceMicroUsd` for every `perUnits`.
 * A charge is the sum of its lines, rounded up once to a whole micro-dollar.
 */
export const PriceLine = z.strictObject({
  meter: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  quantity: z.int().nonnegative(),
  unitPriceMicroUsd: MicroUsdDecimal,
  perUnits: z.int().positive(),
});
export type PriceLine = z.infer<typeof PriceLine>;

export const AccountOpened = defineEvent('AccountOpened', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    currency: z.literal('USD'),
    openedAt: Instant,
  }),
});
export type AccountOpened = EventOf<typeof AccountOpened>;

export const FundsDeposited = defineEvent('FundsDeposited', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    /** The reference under which the depositor knows it; the same one is credited once. */
    depositId: z.string().min(1).max(200),
    /** 1 for the account's first deposit. */
    depositNumber: z.int().positive(),
    amountMicroUsd: MicroUsdDecimal,
    method: z.enum(['opening_credit', 'manual_credit']),
    reason: z.string().max(500),
    depositedAt: Instant,
    /** Deposits less charges less open holds, after this event. */
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type FundsDeposited = EventOf<typeof FundsDeposited>;

export const HoldPlaced = defineEvent('HoldPlaced', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    holdId: HoldId,
    purpose: z.enum(['chat_completion']),
    /** The worst case; the capture is never above it. */
    amountMicroUsd: MicroUsdDecimal,
    lines: z.array(PriceLine),
    rateCardVersion: z.int().positive(),
    modelAsked: z.string().min(1),
    placedAt: Instant,
    /** From here on the sweep may expire it. */
    expiresAt: Instant,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldPlaced = EventOf<typeof HoldPlaced>;

export const HoldCaptured = defineEvent('HoldCaptured', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    holdId: HoldId,
    purpose: z.enum(['chat_completion']),
    amountMicroUsd: MicroUsdDecimal,
    /** The rest of the hold, free again. */
    releasedMicroUsd: MicroUsdDecimal,
    lines: z.array(PriceLine),
    rateCardVersion: z.int().positive(),
    /** Who counted: the rig, or Quipu from what was delivered. */
    usageSource: z.enum(['provider', 'counted']),
    /** What the rig claimed above the bound of the hold; recorded, never charged. */
    excess: z.array(z.strictObject({ meter: z.string(), quantity: z.int().positive() })),
    outcome: z.enum(['completed', 'client_gone', 'timed_out', 'shut_down', 'upstream_failed']),
    models: ModelNames,
    rig: z.string().min(1),
    attempts: z.int().positive(),
    /**
     * Keyed hashes (SHA3-256 of a key and the text): they show sameness to the operator and content
     * to nobody.
     */
    promptHash: z.string().regex(/^[0-9a-f]{64}$/),
    replyHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
    capturedAt: Instant,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldCaptured = EventOf<typeof HoldCaptured>;

export const HoldReleased = defineEvent('HoldReleased', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    holdId: HoldId,
    amountMicroUsd: MicroUsdDecimal,
    reason: z.enum([
      'upstream_failed',
      'client_gone',
      'timed_out',
      'shut_down',
      'refused',
      'internal_error',
    ]),
    releasedAt: Instant,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldReleased = EventOf<typeof HoldReleased>;

export const HoldExpired = defineEvent('HoldExpired', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    holdId: HoldId,
    amountMicroUsd: MicroUsdDecimal,
    expiredAt: Instant,
    availableMicroUsd: MicroUsdDecimal,
  }),
});
export type HoldExpired = EventOf<typeof HoldExpired>;

export type AccountEvent =
  AccountOpened | FundsDeposited | HoldPlaced | HoldCaptured | HoldReleased | HoldExpired;

export const accountEvents = [
  AccountOpened,
  FundsDeposited,
  HoldPlaced,
  HoldCaptured,
  HoldReleased,
  HoldExpired,
] as const;
