import { HoldCaptured, HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type PriceTier } from '#events/token-price.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';
import { rigsOf } from './rigs-of-charge.js';

export const REQUEST_STATUSES = ['charged', 'released', 'expired'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Units of one meter, of all steps. */
export interface UsedMeter {
  readonly meter: string;
  readonly quantity: number;
}

/** A request whose hold has ended. Null: it has none, or it was not measured. */
export interface RequestRecord {
  readonly kind: 'record';
  /** Of the request and of its hold. */
  readonly id: string;
  readonly placedAt: string;
  readonly endedAt: string;
  readonly status: RequestStatus;
  /** How the work ended, or why the hold was released; null where the hold expired. */
  readonly reason: HoldCaptured['data']['outcome'] | HoldReleased['data']['reason'] | null;
  readonly purpose: string;
  readonly mode: string | null;
  readonly model: string | null;
  readonly rigs: readonly string[];
  readonly key: string | null;
  readonly endUser: string | null;
  readonly tags: readonly string[];
  readonly usage: readonly UsedMeter[];
  /** The tiers of its prices beside the standard one. */
  readonly tiers: readonly PriceTier[];
  /** Decimal micro-dollars. */
  readonly amount: string;
  readonly firstByteMs: number | null;
}

/** A record by one of its fields; its key ends as the key of the record does. */
export interface RequestReference {
  readonly kind: 'reference';
}

const REFERENCE: RequestReference = { kind: 'reference' };

type RequestEvent = HoldCaptured | HoldReleased | HoldExpired;

/** The fields by which requests are found. */
export const REQUEST_FIELDS = ['id', 'user', 'tag', 'key', 'status', 'rig', 'model'] as const;
export type RequestField = (typeof REQUEST_FIELDS)[number];

/**
 * The fields with references. A reference is a write for each request, so that keys, rigs and
 * models, which every chat has, are looked up in the records.
 */
export const INDEXED_FIELDS = ['id', 'user', 'tag', 'status'] as const;
type IndexedField = (typeof INDEXED_FIELDS)[number];

/** No account, model, rig or tag has a control character. */
const SEPARATOR = '\u001f';
/** How the keys of records begin. */
const RECORD = `record${SEPARATOR}`;

/** The records of an account, in the order of their ends. */
export const recordsPrefix = (accountId: string): string => `${RECORD}${accountId}${SEPARATOR}`;

/** References to the records of an account that have a value in a field, in the same order. */
export const referencesPrefix = (accountId: string, field: RequestField, value: string): string =>
  `by${SEPARATOR}${accountId}${SEPARATOR}${field}${SEPARATOR}${value}${SEPARATOR}`;

/** The end of the keys of a record and of its references. */
export const placeOf = (endedAt: string, id: string): string => `${endedAt}${SEPARATOR}${id}`;

const endedAtOf = ({ type, data }: RequestEvent): string => {
  switch (type) {
    case 'HoldCaptured':
      return data.capturedAt;
    case 'HoldReleased':
      return data.releasedAt;
    case 'HoldExpired':
      return data.expiredAt;
  }
};

const statusOf = ({ type }: RequestEvent): RequestStatus => {
  switch (type) {
    case 'HoldCaptured':
      return 'charged';
    case 'HoldReleased':
      return 'released';
    case 'HoldExpired':
      return 'expired';
  }
};

const NONE: readonly never[] = [];
const NOTHING_CHARGED = {
  rigs: NONE,
  usage: NONE,
  tiers: NONE,
  amount: '0',
  firstByteMs: null,
} as const;

const usageOf = (lines: readonly ChargedLine[]): readonly UsedMeter[] => {
  const usage: { meter: string; quantity: number }[] = [];
  for (const { meter, quantity } of lines) {
    const used = usage.find((one) => one.meter === meter);
    if (used) used.quantity += quantity;
    else usage.push({ meter, quantity });
  }
  return usage;
};

const tiersOf = (lines: readonly ChargedLine[]): readonly PriceTier[] => {
  if (lines.every(({ tier }) => tier === undefined)) return NONE;
  const tiers = lines.flatMap(({ tier }) => (tier ? [tier] : []));
  return [...new Map(tiers.map((tier) => [JSON.stringify(tier), tier])).values()];
};

/** The fields of a record that depend on how the hold has ended. */
type Ending = Pick<RequestRecord, 'reason' | 'rigs' | 'usage' | 'tiers' | 'amount' | 'firstByteMs'>;

const endingOf = ({ type, data }: RequestEvent): Ending => {
  switch (type) {
    case 'HoldCaptured':
      return {
        reason: data.outcome,
        rigs: rigsOf(data),
        usage: usageOf(data.lines),
        tiers: tiersOf(data.lines),
        amount: data.amountMicroUsd,
        firstByteMs: data.firstByteMs ?? null,
      };
    case 'HoldReleased':
      return { reason: data.reason, ...NOTHING_CHARGED };
    case 'HoldExpired':
      return { reason: null, ...NOTHING_CHARGED };
  }
};

const recordOf = (event: RequestEvent): RequestRecord => {
  const { data } = event;
  const { reason, rigs, usage, tiers, amount, firstByteMs } = endingOf(event);
  return {
    kind: 'record',
    id: data.holdId,
    placedAt: data.placedAt,
    endedAt: endedAtOf(event),
    status: statusOf(event),
    purpose: data.purpose,
    mode: data.mode ?? null,
    model: data.model ?? null,
    key: data.key ?? null,
    endUser: data.endUser ?? null,
    tags: data.tags ?? NONE,
    reason,
    rigs,
    usage,
    tiers,
    amount,
    firstByteMs,
  };
};

/** Whether a record has a value in a field. */
export const hasValue = (record: RequestRecord, field: RequestField, value: string): boolean => {
  switch (field) {
    case 'id':
    case 'key':
    case 'model':
    case 'status':
      return record[field] === value;
    case 'user':
      return record.endUser === value;
    case 'rig':
      return record.rigs.includes(value);
    case 'tag':
      return record.tags.includes(value);
  }
};

const keys = (event: RequestEvent): readonly string[] => {
  const { accountId, holdId, endUser, tags = NONE } = event.data;
  const place = placeOf(endedAtOf(event), holdId);
  const referenceBy = (field: IndexedField, value: string): string =>
    referencesPrefix(accountId, field, value) + place;
  const found = [recordsPrefix(accountId) + place, referenceBy('id', holdId)];
  if (endUser !== undefined) found.push(referenceBy('user', endUser));
  for (const tag of tags) found.push(referenceBy('tag', tag));
  const status = statusOf(event);
  // Most requests are charged: they are found in the list itself.
  if (status !== 'charged') found.push(referenceBy('status', status));
  return found;
};

/** What did each request of an account ask for, cost and take? No text of it is known here. */
export const requests: Projection<RequestEvent, RequestRecord | RequestReference> = {
  name: 'requests',
  version: 1,
  on: { HoldCaptured, HoldReleased, HoldExpired },
  keys,
  isWrittenWhole: true,
  initial: () => REFERENCE,
  project: (event, _before, key) => (key.startsWith(RECORD) ? recordOf(event) : REFERENCE),
};
