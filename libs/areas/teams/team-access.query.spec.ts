import { describe, expect, it } from '@jest/globals';
import { TEAM_ROLES } from '#events/teams/team.vocabulary.js';
import { demandOwnerAbove, type TeamAccess } from './team-access.query.js';

const access: TeamAccess = {
  ...{ teamId: 'team-1', parentId: '7', role: 'owner', isAbove: true, member: null },
};
const code = 'team_role_missing';

describe('who closes a team', () => {
  it('is a user whose account is above it', () => {
    expect(() => demandOwnerAbove(access, {})).not.toThrow();
  });

  it('is an owner of a team above it, and no other member', () => {
    for (const role of TEAM_ROLES) {
      const closing = expect(() => demandOwnerAbove(access, { member: { role } }));
      if (role === 'owner') closing.not.toThrow();
      else closing.toThrow(expect.objectContaining({ code }));
    }
  });

  it('is no owner of the team itself', () => {
    const own = { ...access, isAbove: false };
    const member = { role: 'owner' } as const;
    expect(() => demandOwnerAbove(own, { member })).toThrow(expect.objectContaining({ code }));
    expect(() => demandOwnerAbove(own, {})).toThrow(expect.objectContaining({ code }));
  });
});
