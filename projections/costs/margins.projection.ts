import { HoldCaptured } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { instantAt } from '#platform/kernel/clock.js';
import { dividedByLines, type PartOfCharge } from '#platform/kernel/divided-charge.js';
import { msBetween } from '#platform/kernel/instants.js';
import { keepingLatest } from '#platform/kernel/latest-value.js';
import { fromDecimal, plus, toDecimal } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Charges and costs of a model on a rig, for one account on one day. */
export interface Margin {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** Null: work of the platform itself. */
  readonly accountId: string | null;
  /** Null: of none, or not one of a charge. */
  readonly rig: string | null;
  readonly model: string | null;
  /** The model id in the last request to the rig; null before one. */
  readonly sent: string | null;
  readonly charges: number;
  /** Decimal micro-dollars, before credit notes and re-ratings. */
  readonly charged: string;
  readonly attempts: number;
  /** Of these, attempts whose cost the provider stated, and whose cost was computed. */
  readonly stated: number;
  readonly computed: number;
  /** Decimal pico-dollars of both. */
  readonly cost: string;
  /** Of all attempts whose usage is known. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Event = HoldCaptured | RigAttemptsRecorded;

interface Place {
  readonly day: string;
  readonly accountId: string | null;
  readonly rig: string | null;
  readonly model: string | null;
}

const DAY = 'YYYY-MM-DD'.length;

/** Keys order by day, then by account, rig and model. */
const joined = keepingLatest(
  (accountId, day: string, rig: string, model: string) => `${day}/${accountId}/${rig}/${model}`,
);

const keyOf = (at: string, { accountId, rig, model }: Omit<Place, 'day'>): string =>
  joined(accountId ?? '', at.slice(0, DAY), rig ?? '', model ?? '');

/** Only the model may have a slash in it. */
const placeOf = (key: string): Place => {
  const [day = '', accountId = '', rig = '', ...model] = key.split('/');
  const orNull = (text: string): string | null => (text === '' ? null : text);
  return {
    day,
    accountId: orNull(accountId),
    rig: orNull(rig),
    model: orNull(model.join('/')),
  };
};

/** The parts of a charge whose lines name rigs or models, by document; null for all others. */
const partsOf = ({ data }: HoldCaptured): readonly PartOfCharge<ChargedLine>[] | null => {
  const { accountId, capturedAt, rig, model = null, lines, amountMicroUsd } = data;
  if (lines.every((line) => line.rig === undefined && line.model === undefined)) return null;
  const partOf = (line: ChargedLine): string =>
    keyOf(capturedAt, { accountId, rig: line.rig ?? rig, model: line.model ?? model });
  return dividedByLines(fromDecimal(amountMicroUsd), lines, partOf);
};

const keysOfCharge = (event: HoldCaptured): readonly string[] => {
  const parts = partsOf(event);
  if (parts) return parts.map(({ part }) => part);
  const { accountId, capturedAt, rig, model = null } = event.data;
  return [keyOf(capturedAt, { accountId, rig, model })];
};

/** The amount of a charge that counts in a document. */
const chargedAt = (event: HoldCaptured, key: string): string => {
  const parts = partsOf(event);
  if (!parts) return event.data.amountMicroUsd;
  return toDecimal(parts.find(({ part }) => part === key)?.amount ?? 0n);
};

/** The attempts of an event that count in one document. */
interface Attempts {
  sent: string;
  attempts: number;
  stated: number;
  computed: number;
  cost: string;
  inputTokens: number;
  outputTokens: number;
}

const NO_ATTEMPTS = {
  attempts: 0,
  stated: 0,
  computed: 0,
  cost: '0',
  inputTokens: 0,
  outputTokens: 0,
} as const;

const EPOCH = '1970-01-01T00:00:00.000Z';

/** By document. */
const attemptsBy = ({ data }: RigAttemptsRecorded): ReadonlyMap<string, Attempts> => {
  const sinceMs = msBetween(EPOCH, data.since);
  const sums = new Map<string, Attempts>();
  for (const work of data.work) {
    const { sent, rig, model, startedMs, tookMs, inputTokens, outputTokens, picoUsd } = work;
    for (const [at, accountId] of work.accountIds.entries()) {
      const endedAt = instantAt(sinceMs + (startedMs[at] ?? 0) + (tookMs[at] ?? 0));
      const key = keyOf(endedAt, { accountId, rig, model });
      let sum = sums.get(key);
      if (!sum) sums.set(key, (sum = { sent, ...NO_ATTEMPTS }));
      sum.sent = sent;
      sum.attempts += 1;
      if (work.costBasis) sum[work.costBasis] += 1;
      sum.cost = plus(sum.cost, picoUsd[at] ?? '0');
      sum.inputTokens += inputTokens[at] ?? 0;
      sum.outputTokens += outputTokens[at] ?? 0;
    }
  }
  return sums;
};

/** A fold asks for the attempts of an event for its keys, and then for each of them. */
let latest:
  | { readonly event: RigAttemptsRecorded; readonly attempts: ReadonlyMap<string, Attempts> }
  | undefined;

const attemptsIn = (event: RigAttemptsRecorded): ReadonlyMap<string, Attempts> => {
  if (latest?.event !== event) latest = { event, attempts: attemptsBy(event) };
  return latest.attempts;
};

const withAttempts = (was: Margin, more: Attempts | undefined): Margin =>
  more
    ? {
        ...was,
        sent: more.sent,
        attempts: was.attempts + more.attempts,
        stated: was.stated + more.stated,
        computed: was.computed + more.computed,
        cost: plus(was.cost, more.cost),
        inputTokens: was.inputTokens + more.inputTokens,
        outputTokens: was.outputTokens + more.outputTokens,
      }
    : was;

const withCharge = (was: Margin, amount: string): Margin => ({
  day: was.day,
  accountId: was.accountId,
  rig: was.rig,
  model: was.model,
  sent: was.sent,
  charges: was.charges + 1,
  charged: plus(was.charged, amount),
  attempts: was.attempts,
  stated: was.stated,
  computed: was.computed,
  cost: was.cost,
  inputTokens: was.inputTokens,
  outputTokens: was.outputTokens,
});

/** What did customers pay, and what did it cost, by day, account, rig and model? */
export const margins: Projection<Event, Margin> = {
  name: 'margins',
  version: 1,
  on: { HoldCaptured, RigAttemptsRecorded },
  keys: (event) =>
    event.type === 'HoldCaptured' ? keysOfCharge(event) : [...attemptsIn(event).keys()],
  initial: (key) => ({
    ...placeOf(key),
    sent: null,
    charges: 0,
    charged: '0',
    attempts: 0,
    stated: 0,
    computed: 0,
    cost: '0',
    inputTokens: 0,
    outputTokens: 0,
  }),
  project: (event, was, key) => {
    switch (event.type) {
      case 'HoldCaptured':
        return withCharge(was, chargedAt(event, key));
      case 'RigAttemptsRecorded':
        return withAttempts(was, attemptsIn(event).get(key));
    }
  },
};
