import { describe, expect, it } from '@jest/globals';
import { areas } from '../../composition/areas.js';
import { declaredRoutes } from '../declared-routes.fixture.js';
import { AppTokenGuard } from './app-token.guard.js';
import { SCOPE_KEY } from './scope.decorator.js';
import { scopesOfTeamRole } from '#areas/identity/keys/team-scopes.js';
import { TEAM_ROLES, type TeamRole } from '#events/teams/team.vocabulary.js';

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

describe('the roles of a team', () => {
  const reads = (name: string): boolean => name.startsWith('GET ');
  const ofRole = (role: TeamRole) =>
    routes.filter(({ scope }) => scopesOfTeamRole(role).some((one) => one === scope));

  it('reach routes of their scopes alone, and none of operators', () => {
    for (const role of TEAM_ROLES) {
      expect(scopesOfTeamRole(role)).not.toContain('operate');
      expect(ofRole(role).length).toBeGreaterThan(0);
    }
  });

  it('read and do not write as an auditor', () => {
    const written = ofRole('auditor').filter(({ name }) => !reads(name));
    expect(written.map(({ name }) => name)).toEqual([]);
  });
});
