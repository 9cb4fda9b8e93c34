import { HoldCaptured, HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type PriceTier } from '#events/token-price.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

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

type RequestEvent = HoldCaptured | HoldReleased | HoldExpired;

/** The fields by which requests are found. */
export const REQUEST_FIELDS = ['id', 'user', 'tag', 'key', 'status', 'rig', 'model'] as const;
export type RequestField = (typeof REQUEST_FIELDS)[number];

/**
 * The fields with references. A reference is a write for each request, so that keys, rigs and
 * models, which every chat has, are looked up in the records.
 */
export const INDEXED_FIELDS = ['id', 'user', 'tag', 'status'] as const;

/** No account, model, rig or tag has a control character. */
const SEPARATOR = '\u001f';

const keyOf = (...parts: readonly string[]): string => parts.join(SEPARATOR);

/** The records of an account, in the order of their ends. */
export const recordsPrefix = (accountId: string): string => keyOf('record', accountId, '');

/** References to the records of an account that have a value in a field, in the same order. */
export const referencesPrefix = (accountId: string, field: RequestField, value: string): string =>
  keyOf('by', accountId, field, value, '');

/** The end of the keys of a record and of its references. */
export const placeOf = (endedAt: string, id: string): string => keyOf(endedAt, id);

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

const usageOf = (lines: readonly ChargedLine[]): readonly UsedMeter[] => {
  const sums = new Map<string, number>();
  for (const { meter, quantity } of lines) sums.set(meter, (sums.get(meter) ?? 0) + quantity);
  return [...sums].map(([meter, quantity]) => ({ meter, quantity }));
};

const tiersOf = (lines: readonly ChargedLine[]): readonly PriceTier[] => {
  const tiers = lines.flatMap(({ tier }) => (tier ? [tier] : []));
  return [...new Map(tiers.map((tier) => [JSON.stringify(tier), tier])).values()];
};

const rigsOf = ({ rig, lines }: HoldCaptured['data']): readonly string[] => [
  ...new Set([...(rig === null ? [] : [rig]), ...lines.flatMap((line) => line.rig ?? [])]),
];

const NOTHING_CHARGED = { rigs: [], usage: [], tiers: [], amount: '0', firstByteMs: null } as const;

const chargeOf = ({ type, data }: RequestEvent) => {
  switch (type) {
    case 'HoldCaptured': {
      const { outcome: reason, lines, amountMicroUsd: amount, firstByteMs = null } = data;
      const work = { rigs: rigsOf(data), usage: usageOf(lines), tiers: tiersOf(lines) };
      return { reason, ...work, amount, firstByteMs };
    }
    case 'HoldReleased':
      return { reason: data.reason, ...NOTHING_CHARGED };
    case 'HoldExpired':
      return { reason: null, ...NOTHING_CHARGED };
  }
};

const recordOf = (event: RequestEvent): RequestRecord => {
  const { holdId: id, placedAt, purpose, mode, model, key, endUser, tags } = event.data;
  const labels = { key: key ?? null, endUser: endUser ?? null, tags: tags ?? [] };
  const work = { purpose, mode: mode ?? null, model: model ?? null };
  const ended = { placedAt, endedAt: endedAtOf(event), status: statusOf(event) };
  return { kind: 'record', id, ...ended, ...work, ...labels, ...chargeOf(event) };
};

const valuesOf = (record: RequestRecord): Readonly<Record<RequestField, readonly string[]>> => ({
  id: [record.id],
  key: record.key === null ? [] : [record.key],
  model: record.model === null ? [] : [record.model],
  rig: record.rigs,
  user: record.endUser === null ? [] : [record.endUser],
  tag: record.tags,
  // Most requests are charged: they are found in the list itself.
  status: record.status === 'charged' ? [] : [record.status],
});

/** Whether a record has a value in a field. */
export const hasValue = (record: RequestRecord, field: RequestField, value: string): boolean =>
  field === 'status' ? record.status === value : valuesOf(record)[field].includes(value);

const keys = (event: RequestEvent): readonly string[] => {
  const { accountId } = event.data;
  const record = recordOf(event);
  const place = placeOf(record.endedAt, record.id);
  const values = valuesOf(record);
  const references = INDEXED_FIELDS.flatMap((field) =>
    values[field].map((value) => `${referencesPrefix(accountId, field, value)}${place}`),
  );
  return [`${recordsPrefix(accountId)}${place}`, ...references];
};

/** What did each request of an account ask for, cost and take? No text of it is known here. */
export const requests: Projection<RequestEvent, RequestRecord | RequestReference> = {
  name: 'requests',
  version: 1,
  on: { HoldCaptured, HoldReleased, HoldExpired },
  keys,
  isWrittenWhole: true,
  initial: () => ({ kind: 'reference' }),
  project: (event, _before, key) =>
    key.startsWith(recordsPrefix(event.data.accountId)) ? recordOf(event) : { kind: 'reference' },
};
