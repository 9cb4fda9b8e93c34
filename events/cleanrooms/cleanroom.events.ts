import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, Sha256Hex } from '../vocabulary.js';

export const CleanroomId = z.uuid();

/** A plain decimal without trailing zeros; never negative. */
export const PrivacyDecimal = z.string().regex(/^(0|[1-9]\d{0,5})(\.\d{0,11}[1-9])?$/);

/** An exact amount of a privacy budget, as a fraction `p` or `p/q` in lowest terms. */
export const PrivacyAmount = z.string().regex(/^(0|[1-9]\d{0,63})(\/[1-9]\d{0,63})?$/);

export const ROLES = ['contributor', 'analyst'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/**
 * How the privacy of several answers adds up: `pure` adds epsilons, `zcdp` adds the rho of
 * zero-concentrated differential privacy and converts the sum at the delta of the room.
 */
export const CompositionRule = z.enum(['pure', 'zcdp']);
export type CompositionRule = z.infer<typeof CompositionRule>;

/** In the stream `cleanrooms-numbers`: gives a room its number, for good. */
export const CleanroomNumbered = defineEvent('CleanroomNumbered', {
  version: 1,
  schema: z.strictObject({
    number: z.int().positive(),
    cleanroomId: CleanroomId,
    numberedAt: Instant,
  }),
});
export type CleanroomNumbered = EventOf<typeof CleanroomNumbered>;

/** The first event of the stream `cleanroom-<id>`. */
export const CleanroomCreated = defineEvent('CleanroomCreated', {
  version: 1,
  schema: z.strictObject({
    cleanroomId: CleanroomId,
    number: z.int().positive(),
    /** The account that administers the room. */
    accountId: AccountId,
    name: z.string().min(1).max(100),
    totalEpsilon: PrivacyDecimal,
    totalDelta: PrivacyDecimal,
    rule: CompositionRule,
    /** Of the accountant that computed `limit`. */
    accountantVersion: z.int().positive(),
    /** The sum that the spends may reach: of epsilon (`pure`) or of rho (`zcdp`). */
    limit: PrivacyAmount,
    /** Accounts with rows, before a query is answered. */
    contributorsMin: z.int().positive().max(100),
    createdAt: Instant,
  }),
});
export type CleanroomCreated = EventOf<typeof CleanroomCreated>;

const member = {
  cleanroomId: CleanroomId,
  number: z.int().positive(),
  accountId: AccountId,
  role: Role,
};

export const ParticipantAdded = defineEvent('ParticipantAdded', {
  version: 1,
  schema: z.strictObject({ ...member, addedAt: Instant }),
});
export type ParticipantAdded = EventOf<typeof ParticipantAdded>;

export const ParticipantRemoved = defineEvent('ParticipantRemoved', {
  version: 1,
  schema: z.strictObject({ ...member, removedAt: Instant }),
});
export type ParticipantRemoved = EventOf<typeof ParticipantRemoved>;

const ColumnName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const Decimal = z.string().regex(/^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/);

/** A column and its whole domain, declared and never learned from rows. */
export const Column = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('category'),
    name: ColumnName,
    values: z.array(z.string().min(1).max(64)).min(1).max(1_000).readonly(),
  }),
  /** The numbers from `minimum` to `maximum` in steps of `step`. */
  z.strictObject({
    kind: z.literal('number'),
    name: ColumnName,
    minimum: Decimal,
    maximum: Decimal,
    step: Decimal,
  }),
]);
export type Column = z.infer<typeof Column>;

export const RoomSchemaRegistered = defineEvent('RoomSchemaRegistered', {
  version: 1,
  schema: z.strictObject({
    cleanroomId: CleanroomId,
    version: z.int().positive(),
    columns: z.array(Column).min(1).max(32).readonly(),
    registeredAt: Instant,
  }),
});
export type RoomSchemaRegistered = EventOf<typeof RoomSchemaRegistered>;

/** The rows are a blob that is sealed with a key of the contribution. */
export const ContributionAccepted = defineEvent('ContributionAccepted', {
  version: 1,
  schema: z.strictObject({
    cleanroomId: CleanroomId,
    contributionId: z.uuid(),
    accountId: AccountId,
    schemaVersion: z.int().positive(),
    rows: z.int().positive(),
    blob: Sha256Hex,
    acceptedAt: Instant,
  }),
});
export type ContributionAccepted = EventOf<typeof ContributionAccepted>;

/** The key of the contribution is destroyed next. */
export const ContributionWithdrawn = defineEvent('ContributionWithdrawn', {
  version: 1,
  schema: z.strictObject({
    cleanroomId: CleanroomId,
    contributionId: z.uuid(),
    accountId: AccountId,
    rows: z.int().positive(),
    blob: Sha256Hex,
    withdrawnAt: Instant,
  }),
});
export type ContributionWithdrawn = EventOf<typeof ContributionWithdrawn>;

export const Mechanism = z.enum([
  'discrete_laplace',
  'discrete_gaussian',
  'exponential',
  'marginal_tree',
]);
export type Mechanism = z.infer<typeof Mechanism>;

/** The cost of an answer and its mechanism. It says nothing about the rows. */
export const PrivacyCharge = z.strictObject({
  mechanism: Mechanism,
  /** How far one row can move the exact answer, in units of the grid of the answer. */
  sensitivity: PrivacyAmount,
  /** The guarantee of this answer alone. */
  epsilon: PrivacyAmount,
  delta: PrivacyDecimal,
  /** The part of the limit of the room. */
  cost: PrivacyAmount,
  /** SHA-256 of the canonical query and the version of the rows. */
  queryHash: Sha256Hex,
  accountantVersion: z.int().positive(),
});
export type PrivacyCharge = z.infer<typeof PrivacyCharge>;

const spend = {
  cleanroomId: CleanroomId,
  /** The id of the request, and of its hold of money. */
  spendId: z.uuid(),
  /** Of the analyst. */
  accountId: AccountId,
  reservedAt: Instant,
};

/** Before any noise is drawn. */
export const PrivacyReserved = defineEvent('PrivacyReserved', {
  version: 1,
  schema: z.strictObject({
    ...spend,
    ...PrivacyCharge.shape,
    /** It is released then at the latest, as its hold is. */
    expiresAt: Instant,
  }),
});
export type PrivacyReserved = EventOf<typeof PrivacyReserved>;

/** Before the answer is given. */
export const PrivacySpent = defineEvent('PrivacySpent', {
  version: 1,
  schema: z.strictObject({
    ...spend,
    ...PrivacyCharge.shape,
    /** The blob of the noisy answer. */
    answer: Sha256Hex,
    spentAt: Instant,
  }),
});
export type PrivacySpent = EventOf<typeof PrivacySpent>;

export const PrivacyReleased = defineEvent('PrivacyReleased', {
  version: 1,
  schema: z.strictObject({ ...spend, cost: PrivacyAmount, releasedAt: Instant }),
});
export type PrivacyReleased = EventOf<typeof PrivacyReleased>;

export type RoomEvent =
  | CleanroomCreated
  | ParticipantAdded
  | ParticipantRemoved
  | RoomSchemaRegistered
  | ContributionAccepted
  | ContributionWithdrawn
  | PrivacyReserved
  | PrivacySpent
  | PrivacyReleased;

export const roomEvents = [
  CleanroomCreated,
  ParticipantAdded,
  ParticipantRemoved,
  RoomSchemaRegistered,
  ContributionAccepted,
  ContributionWithdrawn,
  PrivacyReserved,
  PrivacySpent,
  PrivacyReleased,
] as const;

export const roomNumberEvents = [CleanroomNumbered] as const;

export const cleanroomEvents = [...roomNumberEvents, ...roomEvents] as const;
