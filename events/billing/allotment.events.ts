import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import {
  AccountId,
  Instant,
  MicroUsdDecimal,
  Month,
  SignedMicroUsdDecimal,
} from '../vocabulary.js';

/** The tree of accounts, and the money that moves in it, in the streams of the accounts. */

/** Levels of sub-accounts below an account of a user. */
export const TREE_DEPTH_MAX = 5;

/** The place of a sub-account: the account above it, and the levels above it. */
export const TreePlace = z.strictObject({
  parentId: AccountId,
  depth: z.int().min(1).max(TREE_DEPTH_MAX),
});
export type TreePlace = Readonly<z.infer<typeof TreePlace>>;

/** In the stream of the account above: it decides how many there are. */
export const SubAccountAdded = defineEvent('SubAccountAdded', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    childId: AccountId,
    /** Of the sub-account. */
    depth: TreePlace.shape.depth,
    addedAt: Instant,
  }),
});
export type SubAccountAdded = EventOf<typeof SubAccountAdded>;

/**
 * Money for the account above or below. It leaves here first and arrives in the other stream next,
 * so no amount is ever in two accounts.
 */
export const AllotmentSent = defineEvent('AllotmentSent', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    toId: AccountId,
    /** The request for it; the same one is sent once. */
    allotmentId: z.uuid(),
    /** 1 for the account's first allotment that was sent or received. */
    allotmentNumber: z.int().positive(),
    amountMicroUsd: MicroUsdDecimal,
    /** With earlier ones for the same account. */
    totalMicroUsd: MicroUsdDecimal,
    reason: z.string().max(500),
    sentAt: Instant,
    availableMicroUsd: SignedMicroUsdDecimal,
    bookedIn: Month.exactOptional(),
  }),
});
export type AllotmentSent = EventOf<typeof AllotmentSent>;

/** The part of the sent total that had not arrived before. */
export const AllotmentReceived = defineEvent('AllotmentReceived', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    fromId: AccountId,
    allotmentNumber: z.int().positive(),
    amountMicroUsd: MicroUsdDecimal,
    /** With earlier ones from the same account: the total that was sent. */
    totalMicroUsd: MicroUsdDecimal,
    receivedAt: Instant,
    availableMicroUsd: SignedMicroUsdDecimal,
    bookedIn: Month.exactOptional(),
  }),
});
export type AllotmentReceived = EventOf<typeof AllotmentReceived>;

/** Its free money left before; it places no hold from now on. Statements and history stay. */
export const AccountClosed = defineEvent('AccountClosed', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    parentId: TreePlace.shape.parentId,
    closedAt: Instant,
  }),
});
export type AccountClosed = EventOf<typeof AccountClosed>;

/** In the stream of the account above: a closed sub-account gets no more money from it. */
export const SubAccountClosed = defineEvent('SubAccountClosed', {
  version: 1,
  schema: z.strictObject({ accountId: AccountId, childId: AccountId, closedAt: Instant }),
});
export type SubAccountClosed = EventOf<typeof SubAccountClosed>;

export type AllotmentEvent =
  SubAccountAdded | AllotmentSent | AllotmentReceived | AccountClosed | SubAccountClosed;

export const allotmentEvents = [
  SubAccountAdded,
  AllotmentSent,
  AllotmentReceived,
  AccountClosed,
  SubAccountClosed,
] as const;
