import {
  ContributionAccepted,
  ContributionWithdrawn,
} from '#events/cleanrooms/cleanroom.events.js';
import { type Saga } from '#platform/kernel/saga.js';

interface OnRows<Type extends string> {
  readonly type: Type;
  readonly data: {
    readonly cleanroomId: string;
    readonly contributionId: string;
    readonly blob: string;
  };
}

export type ContributionCommand = OnRows<'RetainRows'> | OnRows<'DestroyRows'>;

/** Keeps the rows of each contribution, and destroys their key once it is withdrawn. */
export const contributionRowsSaga: Saga<
  ContributionAccepted | ContributionWithdrawn,
  object,
  ContributionCommand
> = {
  name: 'contribution-rows',
  on: { ContributionAccepted, ContributionWithdrawn },
  key: ({ data }) => data.contributionId,
  initialState: {},
  evolve: (state, { type }) => (type === 'ContributionWithdrawn' ? null : state),
  react: ({ type, data: { cleanroomId, contributionId, blob } }) => {
    const data = { cleanroomId, contributionId, blob };
    const command = type === 'ContributionAccepted' ? 'RetainRows' : 'DestroyRows';
    return [{ kind: 'command', command: { type: command, data } }];
  },
};
