import {
  MeshLeaseExpired,
  MeshLeaseReleased,
  MeshLeaseRenewed,
  MeshTaskCompleted,
  type MeshTaskEvent,
  MeshTaskHandedOff,
} from '#events/mesh/mesh-task.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

export interface LeaseReference {
  readonly accountId: string;
  readonly taskId: string;
  readonly token: number;
}

/** Records that a lease has ended. */
interface ExpireMeshLease {
  readonly type: 'ExpireMeshLease';
  readonly data: LeaseReference;
}

interface LeaseProcess {
  readonly open: boolean;
}

const TIMER = 'expiry';

const react = ({ type, data }: MeshTaskEvent): readonly SagaAction<ExpireMeshLease>[] => {
  switch (type) {
    case 'MeshTaskHandedOff':
    // Scheduling the timer again moves it.
    case 'MeshLeaseRenewed': {
      const { accountId, taskId, token, expiresAt: dueAt } = data;
      const command = { type: 'ExpireMeshLease', data: { accountId, taskId, token } } as const;
      return [{ kind: 'schedule', timer: TIMER, dueAt, command }];
    }
    case 'MeshLeaseExpired':
    case 'MeshLeaseReleased':
    case 'MeshTaskCompleted':
      return [{ kind: 'cancel', timer: TIMER }];
  }
};

/**
 * Records the end of a lease without a renewal, so that read models and watchers see it. What is
 * valid does not depend on it: the decider compares the end of the lease with the clock.
 */
export const leaseExpirySaga: Saga<MeshTaskEvent, LeaseProcess, ExpireMeshLease> = {
  name: 'mesh-lease-expiry',
  on: {
    MeshTaskHandedOff,
    MeshLeaseRenewed,
    MeshLeaseExpired,
    MeshLeaseReleased,
    MeshTaskCompleted,
  },
  key: ({ data }) => `${data.accountId}/${data.taskId}`,
  initialState: { open: false },
  evolve: (_, { type }) =>
    type === 'MeshTaskHandedOff' || type === 'MeshLeaseRenewed' ? { open: true } : null,
  react,
};
