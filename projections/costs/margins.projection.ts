import { HoldCaptured } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type RigAttempt, RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { dividedByLines } from '#platform/kernel/divided-charge.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';
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
const keyOf = ({ day, accountId, rig, model }: Place): string =>
  [day, accountId ?? '', rig ?? '', model ?? ''].join('/');

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

const keyOfAttempt = ({ endedAt, accountId, rig, model }: RigAttempt): string =>
  keyOf({ day: endedAt.slice(0, DAY), accountId, rig, model });

/** A charge by document, each amount in micro-dollars: its lines may name rigs and models. */
const amountsByKey = ({ data }: HoldCaptured): ReadonlyMap<string, bigint> => {
  const { accountId, capturedAt, rig, model = null, lines, amountMicroUsd } = data;
  const work = { day: capturedAt.slice(0, DAY), accountId, rig, model };
  const amount = fromDecimal(amountMicroUsd);
  if (lines.every((line) => line.rig === undefined && line.model === undefined)) {
    return new Map([[keyOf(work), amount]]);
  }
  const partOf = (line: ChargedLine): string =>
    keyOf({ ...work, rig: line.rig ?? rig, model: line.model ?? model });
  const parts = dividedByLines(amount, lines, partOf);
  return new Map(parts.map(({ part, amount: ofPart }) => [part, ofPart]));
};

const plus = (sum: string, amount: string): string =>
  toDecimal(fromDecimal(sum) + fromDecimal(amount));

const withAttempt = (was: Margin, { sent, cost, usage }: RigAttempt): Margin => ({
  ...was,
  sent,
  attempts: was.attempts + 1,
  stated: was.stated + (cost?.basis === 'stated' ? 1 : 0),
  computed: was.computed + (cost?.basis === 'computed' ? 1 : 0),
  cost: cost ? plus(was.cost, cost.picoUsd) : was.cost,
  inputTokens: was.inputTokens + (usage?.inputTokens ?? 0),
  outputTokens: was.outputTokens + (usage?.outputTokens ?? 0),
});

/** What did customers pay, and what did it cost, by day, account, rig and model? */
export const margins: Projection<Event, Margin> = {
  name: 'margins',
  version: 1,
  on: { HoldCaptured, RigAttemptsRecorded },
  keys: (event) =>
    event.type === 'HoldCaptured'
      ? [...amountsByKey(event).keys()]
      : [...new Set(event.data.attempts.map(keyOfAttempt))],
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
      case 'HoldCaptured': {
        const amount = amountsByKey(event).get(key) ?? 0n;
        return {
          ...was,
          charges: was.charges + 1,
          charged: toDecimal(fromDecimal(was.charged) + amount),
        };
      }
      case 'RigAttemptsRecorded':
        return event.data.attempts
          .filter((attempt) => keyOfAttempt(attempt) === key)
          .reduce(withAttempt, was);
    }
  },
};
