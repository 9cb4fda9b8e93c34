import { AccountClosed } from '#events/billing/allotment.events.js';
import { type Saga } from '#platform/kernel/saga.js';

interface EndTeam {
  readonly type: 'EndTeam';
  readonly data: { readonly teamId: string; readonly closedAt: string };
}

/** Ends the memberships of a team whose process ended after it had closed the account. */
export const teamClosingSaga: Saga<AccountClosed, object, EndTeam> = {
  name: 'team-closing',
  on: { AccountClosed },
  key: ({ data }) => data.accountId,
  initialState: {},
  evolve: () => null,
  react: ({ data: { accountId: teamId, closedAt } }) => [
    { kind: 'command', command: { type: 'EndTeam', data: { teamId, closedAt } } },
  ],
};
