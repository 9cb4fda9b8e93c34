import {
  ContactPlanned,
  ContactWithdrawn,
  LinkDeclared,
  LinkWithdrawn,
  type PlanEvent,
} from '#events/dtn/dtn.events.js';
import { type Saga } from '#platform/kernel/saga.js';

export interface ReplanBundles {
  readonly type: 'ReplanBundles';
  readonly data: Readonly<Record<string, never>>;
}

/** Plans the stored bundles again after each change of the contact plan. */
export const planChangesSaga: Saga<PlanEvent, object, ReplanBundles> = {
  name: 'dtn-plan-changes',
  on: { ContactPlanned, ContactWithdrawn, LinkDeclared, LinkWithdrawn },
  key: () => 'plan',
  initialState: {},
  evolve: (state) => state,
  react: () => [{ kind: 'command', command: { type: 'ReplanBundles', data: {} } }],
};
