import { describe, expect, it } from '@jest/globals';
import { areas } from '../../composition/areas.js';
import { declaredRoutes } from '../declared-routes.fixture.js';
import { AppTokenGuard } from './app-token.guard.js';
import { SCOPE_KEY } from './scope.decorator.js';

const routes = (await declaredRoutes(areas)).map(({ name, guards, metadata }) => ({
  name,
  guards,
  scope: metadata(SCOPE_KEY),
}));

/** Its credential is a field of a form, which it checks in place of a guard. */
const CHECKS_ITSELF = 'POST api/jobs/sync_file';

describe('every route', () => {
  it('declares its scope', () => {
    expect(routes.length).toBeGreaterThan(200);
    expect(routes.filter(({ scope }) => scope === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('without a guard is open', () => {
    const closed = routes.filter(({ guards, scope }) => guards.length === 0 && scope !== 'open');
    expect(closed.map(({ name }) => name)).toEqual([CHECKS_ITSELF]);
  });

  it('that is open takes no credential, or the access token of a session alone', () => {
    const guarded = routes.filter(({ guards, scope }) => guards.length > 0 && scope === 'open');
    expect(guarded.map(({ name }) => name)).toContain('GET api/v1/auth/me');
    const others = guarded.filter(({ guards }) => !guards.includes(AppTokenGuard));
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});
