import { z } from 'zod';
import { RigName } from './catalog/rate-card.events.js';
import { PriceTier } from './token-price.vocabulary.js';
import { AccountId, Instant, KeyedHash, KeyId, Meter, MicroUsdDecimal } from './vocabulary.js';

/**
 * The words of metering: what a hold reserves, renews, charges and frees. The ledger's port and the
 * events of billing are both made of these shapes, so each is described once.
 */

export { Meter };

/** A hold's id: the UUID of the request or job that asked for it. */
export const HoldId = z.uuid();

/**
 * The purpose of a hold: the name of a product that an area declares, such as `chat_completion`.
 */
export const Purpose = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** Where a charge counts on the account's overview. Every group has a total of its own there. */
export const ProductGroup = z.enum(['inference', 'compute']);
export type ProductGroup = z.infer<typeof ProductGroup>;

/**
 * A place in the tree of work that one hold pays for: names of steps from the root, joined by a
 * slash (`fanout/2`), at most 16 of them. `fanout` is the parent of `fanout/2`.
 */
export const StepPath = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}(\/[a-z0-9][a-z0-9_-]{0,63}){0,15}$/);

/** The name by which a caller asked for a model. */
export const AskedModel = z.string().regex(/^[\x21-\x7e]{1,256}$/);

/**
 * One line of a price: `quantity` units of `meter` at `unitPriceMicroUsd` for every `perUnits`.
 * A charge is the sum of its lines, rounded up once to a whole micro-dollar. Without a step the
 * line belongs to the whole work.
 */
export const PriceLine = z.strictObject({
  step: StepPath.exactOptional(),
  /** The model whose price it is, where the work may ask several; else the charge names it. */
  model: AskedModel.exactOptional(),
  /** The tier of the model's price. Absent: the standard price. */
  tier: PriceTier.exactOptional(),
  meter: Meter,
  quantity: z.int().nonnegative(),
  unitPriceMicroUsd: MicroUsdDecimal,
  perUnits: z.int().positive(),
});
export type PriceLine = z.infer<typeof PriceLine>;

/** The price of a unit, and what it is the price of. */
export const UnitTerms = PriceLine.pick({
  model: true,
  tier: true,
  unitPriceMicroUsd: true,
  perUnits: true,
});

/** Units that were used, before they are charged. */
export const UsedUnits = z.strictObject({
  step: StepPath.exactOptional(),
  /** The rig that did the work; left out where none did. */
  rig: RigName.exactOptional(),
  meter: Meter,
  quantity: z.int().nonnegative(),
  /** Of tokens whose class or tier has a price of its own. Absent: that of the held line. */
  price: UnitTerms.exactOptional(),
});
/** Of one piece of work; an answer of many models has a dozen for each call. */
export const USED_UNITS_MAX = 400;
export type UsedUnits = z.infer<typeof UsedUnits>;

/** A line of a charge. */
export const ChargedLine = PriceLine.extend({
  /** Where the charge has work of several rigs. */
  rig: RigName.exactOptional(),
  /**
   * The meter of the held line that the line counts against, where its price or its meter is
   * another one: cached tokens are held as fresh input. Its price is not above the held one.
   */
  heldAs: Meter.exactOptional(),
});
export type ChargedLine = z.infer<typeof ChargedLine>;

/** Units that were claimed above the bound of the hold; recorded, never charged. */
export const Excess = z.strictObject({
  step: StepPath.exactOptional(),
  meter: Meter,
  quantity: z.int().positive(),
});
export type Excess = z.infer<typeof Excess>;

/**
 * The proof of a hold or a charge for an auditor. The product of the purpose has the schema;
 * billing checks it before it decides. No prompt, no reply and no secret.
 */
export const HoldEvidence = z.record(z.string(), z.unknown());
export const CaptureEvidence = z.record(z.string(), z.unknown());

export const TAG_LENGTH_MAX = 64;
export const TAGS_MAX = 16;

/** A name of the caller for its request, and the value of it: `project=alpha`. */
export const Tag = z
  .string()
  .max(TAG_LENGTH_MAX)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*=[^\p{C},]+$/u);

/**
 * The trace that a request belongs to, and its span in the caller's process: the ids of a W3C
 * `traceparent`, joined by a dash.
 */
export const TraceParent = z.string().regex(/^[0-9a-f]{32}-[0-9a-f]{16}$/);

/** Who asked for a hold, and the caller's own names for the request. */
export const HoldLabels = z.strictObject({
  /** The key that asked; absent where none did, as in an app with an access token. */
  key: KeyId.exactOptional(),
  /** In the order of their names, each name once. Absent: none. */
  tags: z.array(Tag).min(1).max(TAGS_MAX).exactOptional(),
  /** A keyed hash of the caller's own user. Absent: the caller named none. */
  endUser: KeyedHash.exactOptional(),
  /** Absent: the caller sent none. */
  trace: TraceParent.exactOptional(),
});
export type HoldLabels = z.infer<typeof HoldLabels>;

/** The labels alone, of anything that has them. */
export const labelsOf = (labels: HoldLabels): HoldLabels => addLabels({}, labels);

/**
 * Adds the labels to an object that is not shared yet. Assigns: spread objects take several times
 * as long, and every hold needs this several times.
 */
export const addLabels = <To extends HoldLabels>(
  to: To,
  { key, tags, endUser, trace }: HoldLabels,
): To => {
  if (key !== undefined) to.key = key;
  if (tags !== undefined) to.tags = tags;
  if (endUser !== undefined) to.endUser = endUser;
  if (trace !== undefined) to.trace = trace;
  return to;
};

/** A routing mode: `auto`, `rig_<name>`, or one that an area declares. */
export const RoutingMode = z.string().regex(/^[a-z][A-Za-z0-9_.-]{0,67}$/);

/** Where a hold comes from. Its end repeats it, so that the end can be read alone. */
export const HoldOrigin = HoldLabels.extend({
  placedAt: Instant,
  /** Absent: the interface has none. */
  mode: RoutingMode.exactOptional(),
  /** The model that the caller asked for. Absent: none, or several. */
  model: AskedModel.exactOptional(),
});
export type HoldOrigin = z.infer<typeof HoldOrigin>;

/** The origin alone, of anything that has it. */
export const originOf = (origin: HoldOrigin): HoldOrigin =>
  addOrigin({ placedAt: origin.placedAt }, origin);

/** Adds the parts of an origin that it may lack to an object that is not shared yet. */
export const addOrigin = <To extends HoldOrigin>(to: To, origin: HoldOrigin): To => {
  const { mode, model } = origin;
  if (mode !== undefined) to.mode = mode;
  if (model !== undefined) to.model = model;
  return addLabels(to, origin);
};

/** The terms of a hold. */
export const HoldTerms = HoldOrigin.extend({
  accountId: AccountId,
  holdId: HoldId,
  purpose: Purpose,
  /** The worst case. */
  lines: z.array(PriceLine),
  /** The rate card that the unit prices come from, for the whole life of the hold. */
  rateCardVersion: z.int().positive(),
  evidence: HoldEvidence,
  /** From here on the sweep may expire it. */
  expiresAt: Instant,
});
export type HoldTerms = z.infer<typeof HoldTerms>;

/** The terms on which an open hold is renewed. */
export const RenewalTerms = z.strictObject({
  accountId: AccountId,
  holdId: HoldId,
  purpose: Purpose,
  /** The worst case of the next period, on top of the held amount; empty for more time only. */
  lines: z.array(PriceLine),
  /** Later than the deadline that it replaces. */
  expiresAt: Instant,
  renewedAt: Instant,
});
export type RenewalTerms = z.infer<typeof RenewalTerms>;

/** The terms of a charge. */
export const CaptureTerms = z.strictObject({
  accountId: AccountId,
  holdId: HoldId,
  purpose: Purpose,
  /** The rig that did the work of every line; null where the lines name theirs, or none did. */
  rig: RigName.nullable(),
  lines: z.array(ChargedLine),
  /** The counter: the provider of the work, or Quipu from the delivered text. */
  usageSource: z.enum(['provider', 'counted']),
  excess: z.array(Excess),
  outcome: z.enum([
    'completed',
    'client_gone',
    'timed_out',
    'shut_down',
    'guard_blocked',
    'upstream_failed',
  ]),
  evidence: CaptureEvidence,
  capturedAt: Instant,
  /** The model that the caller asked for; the statement has lines for each. Absent: none. */
  model: AskedModel.exactOptional(),
  /** The job that is charged; the statement has lines for each. Absent: none. */
  jobId: z.uuid().exactOptional(),
  /** Bytes of the answer for the caller, without headers and framing. Absent: not measured. */
  bytesOut: z.int().nonnegative().exactOptional(),
  /** From the arrival of the request to the first part of its answer. Absent: not measured. */
  firstByteMs: z.int().nonnegative().exactOptional(),
});
export type CaptureTerms = z.infer<typeof CaptureTerms>;

/** The terms on which a hold ends without a charge. */
export const ReleaseTerms = z.strictObject({
  accountId: AccountId,
  holdId: HoldId,
  reason: z.enum([
    'upstream_failed',
    'client_gone',
    'timed_out',
    'shut_down',
    'guard_blocked',
    'refused',
    'internal_error',
  ]),
  releasedAt: Instant,
});
export type ReleaseTerms = z.infer<typeof ReleaseTerms>;
