import { describe, expect, it } from '@jest/globals';
import { Map as ImmutableMap } from 'immutable';
import { DomainError } from '#platform/kernel/domain-error.js';
import { dtnSettingsOf } from './dtn-settings.fixture.js';
import { ContactPlans, HORIZON_MS, type PlanRunner } from './contact-plans.js';
import { planDecider, type PlanState } from './plan.decider.js';
import { type PassWindow, StationPasses } from './station-passes.port.js';

const NOW = Date.UTC(2026, 10, 25, 19, 10);
const HOUR = 3_600_000;
const AT = new Date(NOW).toISOString();
const ENDS = NOW + 2 * HOUR;

const link = (linkId: number, satelliteId: number) => ({
  ...{ linkId, stationId: 1, satelliteId, bitsPerSecond: 8_000, declaredAt: AT },
  ...{ stationNode: 'dtn://station-1/', satelliteNode: `dtn://sat-${satelliteId}/` },
});
const contact = {
  ...{ contactId: 4, from: 'dtn://relay/', to: 'dtn://moon/', plannedAt: AT },
  ...{ startsAt: AT, endsAt: new Date(ENDS).toISOString(), bitsPerSecond: 1, lightMs: 9 },
};

/** One pass of each satellite, but for satellite 2, whose elements have decayed. */
class OnePass extends StationPasses {
  readonly asked: number[] = [];

  override find(_: number, satelliteId: number, fromMs: number): Promise<readonly PassWindow[]> {
    this.asked.push(fromMs);
    const [startMs, closestMs, endMs] = [NOW + HOUR, NOW + HOUR + 300_000, NOW + HOUR + 600_000];
    return satelliteId === 2
      ? Promise.reject(new DomainError('elements_decayed', 'the orbit has decayed'))
      : Promise.resolve([{ startMs, closestMs, endMs, rangeKmMax: 2_998 }]);
  }
}

const openPlans = (state: Partial<PlanState>) => {
  const stations = new OnePass();
  const runner = {
    stateOf: () => Promise.resolve({ state: { ...planDecider.initialState, ...state } }),
  } as unknown as PlanRunner;
  const settings = dtnSettingsOf();
  return { stations, plans: new ContactPlans(runner, stations, settings) };
};

describe('the contact plan', () => {
  it('has both directions of each pass, the ground network, and planned contacts', async () => {
    const { plans } = openPlans({
      links: ImmutableMap([[1, link(1, 1)]]),
      contacts: ImmutableMap([[4, contact]]),
    });
    const { contacts, gaps } = await plans.from(NOW, NOW + 24 * HOUR);
    const minute = Math.round((NOW + HOUR + 300_000) / 60_000);
    expect(gaps).toEqual([]);
    expect(contacts.map(({ id, kind, from, to }) => [id, kind, from, to])).toEqual([
      ['contact-4', 'manual', 'dtn://relay/', 'dtn://moon/'],
      ['ground-1-out', 'ground', 'dtn://quipu/', 'dtn://station-1/'],
      ['ground-1-in', 'ground', 'dtn://station-1/', 'dtn://quipu/'],
      [`link-1-${minute}-up`, 'pass', 'dtn://station-1/', 'dtn://sat-1/'],
      [`link-1-${minute}-down`, 'pass', 'dtn://sat-1/', 'dtn://station-1/'],
    ]);
    // 2,998 km are a little more than 10 ms of light.
    expect(contacts[3]).toMatchObject({ lightMs: 11, bitsPerSecond: 8_000 });
  });

  it('names the links whose passes cannot be computed', async () => {
    const links = ImmutableMap([
      [1, link(1, 2)],
      [2, link(2, 3)],
    ]);
    const { contacts, gaps } = await openPlans({ links }).plans.from(NOW, NOW + 24 * HOUR);
    expect(gaps).toEqual([{ linkId: 1, reason: 'the orbit has decayed' }]);
    expect(contacts.filter(({ kind }) => kind === 'pass')).toHaveLength(2);
  });

  it('searches for passes once an hour', async () => {
    const { plans, stations } = openPlans({ links: ImmutableMap([[1, link(1, 1)]]) });
    for (const minutes of [0, 20, 40, 60]) {
      await plans.from(NOW + minutes * 60_000, NOW + 24 * HOUR);
    }
    expect(stations.asked).toEqual([NOW - 600_000, NOW - 600_000 + HOUR]);
  });

  it('leaves out contacts before its beginning and after its end', async () => {
    const { plans } = openPlans({ contacts: ImmutableMap([[4, contact]]) });
    expect((await plans.from(ENDS, ENDS + HOUR)).contacts).toEqual([]);
    expect((await plans.from(NOW - 2 * HOUR, NOW - HOUR)).contacts).toEqual([]);
    expect((await plans.from(NOW - HORIZON_MS, ENDS)).contacts).toEqual([]);
    expect((await plans.from(NOW, ENDS)).contacts).toHaveLength(1);
  });
});
