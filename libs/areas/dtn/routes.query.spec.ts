import { describe, expect, it } from '@jest/globals';
import { type BundleRoutes } from './bundle-routes.js';
import { RoutesHandler, RoutesQuery, SEARCHES } from './dtn.queries.js';
import { dtnSettingsOf } from './dtn-settings.fixture.js';

const asked = {
  ...{ source: null, destination: 'dtn://moon/in', bytes: 1, lifetimeSec: 1, alternatives: 1 },
  priority: 'normal' as const,
};

describe('a search for routes', () => {
  it('is one at a time for an account, and rejects a crowd', async () => {
    const gate = Promise.withResolvers<never>();
    let running = 0;
    const routes = {
      find: () => {
        running += 1;
        return gate.promise;
      },
    } as unknown as BundleRoutes;
    const handler = new RoutesHandler(routes, dtnSettingsOf(), { now: () => 0 });
    const ask = (accountId: string) => handler.execute(new RoutesQuery(accountId, asked));
    const all = Array.from({ length: SEARCHES.waitingMax + 1 }, () => ask('7'));
    for (const one of all) one.catch(() => undefined);
    await expect(ask('7')).rejects.toMatchObject({ code: 'too_many_route_searches' });
    expect(running).toBe(1);
    ask('8').catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(2);
    gate.reject(new Error('the end of the test'));
    await Promise.allSettled(all);
  });
});
