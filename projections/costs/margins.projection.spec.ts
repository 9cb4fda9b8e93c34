import { describe, expect, it } from '@jest/globals';
import { captured } from '#areas/billing/account.fixture.js';
import { type ObservedAttempt, tableOf } from '#areas/costs/attempt-table.js';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { msBetween } from '#platform/kernel/instants.js';
import { type Margin, margins } from './margins.projection.js';

const charge = captured([900, 100], 195, 555, 805);
const charged = (data: Partial<HoldCaptured['data']>): HoldCaptured => ({
  ...charge,
  data: { ...charge.data, ...data },
});
const DAY = charge.data.capturedAt.slice(0, 10);

const epochMsOf = (instant: string): number => msBetween('1970-01-01T00:00:00.000Z', instant);

const attempt = (more: Partial<ObservedAttempt> = {}): ObservedAttempt => ({
  account: '7',
  holdId: null,
  model: 'acme/m',
  sent: 'm-1',
  rig: 'rack',
  outcome: 'answered',
  usage: { promptTokens: 10, completionTokens: 2, source: 'provider' },
  cost: { basis: 'computed', picoUsd: 1_500_000n },
  startedAtMs: epochMsOf(`${DAY}T09:59:59.000Z`),
  endedAtMs: epochMsOf(`${DAY}T10:00:00.000Z`),
  ...more,
});
const recorded = (...attempts: ObservedAttempt[]): RigAttemptsRecorded =>
  RigAttemptsRecorded.of({ ...tableOf(attempts), lost: 0, recordedAt: `${DAY}T10:00:01.000Z` });

type Event = HoldCaptured | RigAttemptsRecorded;

/** All documents of these events. */
const foldOf = (...events: readonly Event[]): Readonly<Record<string, Margin>> => {
  const documents: Record<string, Margin> = {};
  for (const event of events) {
    for (const key of margins.keys(event)) {
      const was = documents[key] ?? margins.initial(key);
      documents[key] = margins.project(event, was, key) ?? was;
    }
  }
  return documents;
};

describe('margins', () => {
  it('have charges and costs of an account, a rig and a model side by side', () => {
    const events = [
      charged({ rig: 'rack', model: 'acme/m' }),
      recorded(
        attempt(),
        attempt({ outcome: 'overloaded', usage: null, cost: null }),
        attempt({ sent: 'm-2', cost: { basis: 'stated', picoUsd: 7n } }),
      ),
    ];
    expect(foldOf(...events)).toEqual({
      [`${DAY}/7/rack/acme/m`]: {
        day: DAY,
        accountId: '7',
        rig: 'rack',
        model: 'acme/m',
        sent: 'm-2',
        charges: 1,
        charged: charge.data.amountMicroUsd,
        attempts: 3,
        stated: 1,
        computed: 1,
        cost: '1500007',
        inputTokens: 20,
        outputTokens: 4,
      },
    });
  });

  it('keep days, accounts, rigs and models apart', () => {
    const documents = foldOf(
      recorded(
        attempt(),
        attempt({ account: null }),
        attempt({ rig: 'other' }),
        attempt({ model: 'acme/n' }),
        attempt({ endedAtMs: epochMsOf('2027-01-01T00:00:00.000Z') }),
      ),
    );
    expect(Object.keys(documents)).toEqual([
      `${DAY}/7/rack/acme/m`,
      `${DAY}//rack/acme/m`,
      '2027-01-01/7/rack/acme/m',
      `${DAY}/7/other/acme/m`,
      `${DAY}/7/rack/acme/n`,
    ]);
    expect(documents[`${DAY}//rack/acme/m`]).toMatchObject({ accountId: null, attempts: 1 });
  });

  it('divide a charge among the models and rigs of its lines', () => {
    const line = { meter: 'input_tokens', quantity: 3, unitPriceMicroUsd: '1', perUnits: 1 };
    const lines = [
      { ...line, rig: 'rack', model: 'acme/m' },
      { ...line, rig: 'rack', model: 'acme/n', quantity: 5 },
      { ...line, rig: 'mill', model: 'acme/m' },
    ];
    const { model: _, ...rest } = charged({ rig: null, lines, amountMicroUsd: '11' }).data;
    const documents = foldOf({ ...charge, data: rest });
    const amounts = Object.entries(documents).map(([key, { charged: amount }]) => [key, amount]);
    expect(Object.fromEntries(amounts)).toEqual({
      [`${DAY}/7/rack/acme/m`]: '3',
      [`${DAY}/7/rack/acme/n`]: '5',
      [`${DAY}/7/mill/acme/m`]: '3',
    });
  });
});
