import { HoldCaptured } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type RigAttempt, RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { dividedByLines, type PartOfCharge } from '#platform/kernel/divided-charge.js';
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
const keyOf = ({ day, accountId, rig, model }: Place): string =>
  `${day}/${accountId ?? ''}/${rig ?? ''}/${model ?? ''}`;

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

/** The parts of a charge whose lines name rigs or models, by document; null for all others. */
const partsOf = ({ data }: HoldCaptured): readonly PartOfCharge<ChargedLine>[] | null => {
  const { accountId, capturedAt, rig, model = null, lines, amountMicroUsd } = data;
  if (lines.every((line) => line.rig === undefined && line.model === undefined)) return null;
  const day = capturedAt.slice(0, DAY);
  const partOf = (line: ChargedLine): string =>
    keyOf({ day, accountId, rig: line.rig ?? rig, model: line.model ?? model });
  return dividedByLines(fromDecimal(amountMicroUsd), lines, partOf);
};

const keysOfCharge = (event: HoldCaptured): readonly string[] => {
  const parts = partsOf(event);
  if (parts) return parts.map(({ part }) => part);
  const { accountId, capturedAt, rig, model = null } = event.data;
  return [keyOf({ day: capturedAt.slice(0, DAY), accountId, rig, model })];
};

/** The amount of a charge that counts in a document. */
const chargedAt = (event: HoldCaptured, key: string): string => {
  const parts = partsOf(event);
  if (!parts) return event.data.amountMicroUsd;
  return toDecimal(parts.find(({ part }) => part === key)?.amount ?? 0n);
};

/** Whether an attempt counts in the document of a place. */
const isAt = (place: Place, { endedAt, accountId, rig, model }: RigAttempt): boolean =>
  model === place.model &&
  accountId === place.accountId &&
  rig === place.rig &&
  endedAt.startsWith(place.day);

const withAttempts = (was: Margin, recorded: readonly RigAttempt[]): Margin => {
  let { sent, attempts, stated, computed, cost, inputTokens, outputTokens } = was;
  for (const attempt of recorded) {
    if (!isAt(was, attempt)) continue;
    sent = attempt.sent;
    attempts += 1;
    if (attempt.cost?.basis === 'stated') stated += 1;
    if (attempt.cost?.basis === 'computed') computed += 1;
    if (attempt.cost) cost = plus(cost, attempt.cost.picoUsd);
    inputTokens += attempt.usage?.inputTokens ?? 0;
    outputTokens += attempt.usage?.outputTokens ?? 0;
  }
  return { ...was, sent, attempts, stated, computed, cost, inputTokens, outputTokens };
};

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
    event.type === 'HoldCaptured'
      ? keysOfCharge(event)
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
      case 'HoldCaptured':
        return withCharge(was, chargedAt(event, key));
      case 'RigAttemptsRecorded':
        return withAttempts(was, event.data.attempts);
    }
  },
};
