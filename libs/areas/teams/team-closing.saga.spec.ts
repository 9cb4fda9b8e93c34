import { it } from '@jest/globals';
import { AccountClosed } from '#events/billing/allotment.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { teamClosingSaga } from './team-closing.saga.js';

it('a closed account ends the team', () => {
  const accountId = 'team-019ac5d9-20c1-7c55-9d0f-000000000001';
  const closedAt = '2026-11-27T10:00:00.000Z';
  sagaSpecOf(teamClosingSaga)
    .given()
    .when(AccountClosed.of({ accountId, parentId: '7', closedAt }))
    .then({
      kind: 'command',
      command: { type: 'EndTeam', data: { teamId: accountId, closedAt } },
    });
});
