import { describe, expect, it } from '@jest/globals';
import { MemberJoined, TeamCreated, type TeamEvent } from '#events/teams/team.events.js';
import { UserId } from '#events/vocabulary.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { ApplyTeamRulesCommand, ApplyTeamRulesHandler } from './members.handlers.js';
import { type TeamCommand, teamDecider, type TeamState } from './team.decider.js';
import { type TeamRunner, Teams } from './teams.js';

const AT = '2026-11-26T10:00:00.000Z';
const USER = UserId.parse(12);
const idOf = (n: number): string => `team-019ac5d9-20c1-7c55-9d0f-00000000000${n}`;
const REQUEST = '019ac5d9-20c1-7c55-9d0f-0d3a5a3f8f04';

const created = (n: number): TeamEvent =>
  TeamCreated.of({ teamId: idOf(n), parentId: '7', depth: 1, name: 'search', createdAt: AT });
const joined = (n: number, source: 'invitation' | 'provider'): TeamEvent => {
  const memberId = '019ac5d9-20c1-7c55-9d0f-0d3a5a3f8f05';
  const member = { memberId, userId: USER, role: 'developer', source } as const;
  return MemberJoined.of({ teamId: idOf(n), ...member, joinedAt: AT });
};

/** Teams in memory; the user is listed in the teams of `listed`. */
const worldOf = (facts: Readonly<Record<string, readonly TeamEvent[]>>, listed: string[]) => {
  const { decide, evolve, initialState } = teamDecider;
  const states = new Map<string, TeamState>(
    Object.entries(facts).map(([id, events]) => [id, events.reduce(evolve, initialState)]),
  );
  const decided: TeamEvent[] = [];
  const stateOf = (id: string): TeamState => states.get(id) ?? initialState;
  const runner = {
    stateOf: (id: string) => Promise.resolve({ state: stateOf(id), position: 1n }),
    run: (id: string, command: TeamCommand) => {
      const events = decide(command, stateOf(id));
      decided.push(...events);
      return Promise.resolve({ events });
    },
  } as unknown as TeamRunner;
  const documents = listed.map((teamId) => ({ key: teamId, document: { teamId } }));
  const projections = {
    list: () => Promise.resolve({ documents, position: 1n }),
  } as unknown as Projections;
  const clock = { now: () => Date.parse(AT) };
  const handler = new ApplyTeamRulesHandler(new Teams(runner), projections, clock);
  const apply = async (...granted: ApplyTeamRulesCommand['granted']) => {
    const context = contextOf(REQUEST, 'spec');
    await handler.execute(new ApplyTeamRulesCommand(USER, granted, context));
    return decided.map(({ type, data }) => `${type} ${data.teamId}`);
  };
  return { apply };
};

describe('the rules of groups at a sign-in', () => {
  it('make the memberships that they grant, and end others by rules', async () => {
    const facts = { [idOf(1)]: [created(1)], [idOf(2)]: [created(2), joined(2, 'provider')] };
    const { apply } = worldOf(facts, [idOf(2)]);
    expect(await apply({ teamId: idOf(1), role: 'auditor' })).toEqual([
      `MemberRemoved ${idOf(2)}`,
      `MemberJoined ${idOf(1)}`,
    ]);
  });

  it('leave memberships by invitations, and grant nothing in an unknown team', async () => {
    const { apply } = worldOf({ [idOf(2)]: [created(2), joined(2, 'invitation')] }, [idOf(2)]);
    expect(await apply({ teamId: idOf(3), role: 'owner' })).toEqual([]);
  });
});
