import {
  MeshLeaseExpired,
  MeshLeaseReleased,
  MeshLeaseRenewed,
  MeshTaskCompleted,
  type MeshTaskEvent,
  MeshTaskHandedOff,
} from '#events/mesh/mesh-task.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export const MESH_TASK_STATUSES = ['leased', 'expired', 'released', 'completed'] as const;
export type MeshTaskStatus = (typeof MESH_TASK_STATUSES)[number];

/** Instants as ISO 8601. */
export interface MeshTask {
  readonly accountId: string;
  readonly taskId: string;
  readonly status: MeshTaskStatus;
  /** The holder of the last lease, and who handed the task to it. */
  readonly agent: string;
  readonly fromAgent: string | null;
  readonly token: number;
  readonly ttlSeconds: number;
  readonly contextRef: string | null;
  readonly resultRef: string | null;
  readonly createdAt: string;
  readonly handedOffAt: string;
  readonly expiresAt: string;
  readonly renewableUntil: string;
  readonly completedAt: string | null;
}

/** Null until the task was handed off. */
export interface MeshTaskDocument {
  readonly task: MeshTask | null;
}

export const meshTasksPrefix = (accountId: string): string => `${accountId}/`;

export const meshTaskKey = (accountId: string, taskId: string): string =>
  `${meshTasksPrefix(accountId)}${taskId}`;

const handedOff = ({ data }: MeshTaskHandedOff, was: MeshTask | null): MeshTaskDocument => {
  const { handoffId: _, because: __, toAgent: agent, contextRef, ...lease } = data;
  return {
    task: {
      ...lease,
      status: 'leased',
      agent,
      // A handoff without a reference leaves the one before.
      contextRef: contextRef ?? was?.contextRef ?? null,
      resultRef: null,
      createdAt: was?.createdAt ?? data.handedOffAt,
      completedAt: null,
    },
  };
};

const changed = (
  { type, data }: Exclude<MeshTaskEvent, MeshTaskHandedOff>,
  was: MeshTask,
): MeshTask => {
  switch (type) {
    case 'MeshLeaseRenewed':
      return { ...was, expiresAt: data.expiresAt };
    case 'MeshLeaseExpired':
      return { ...was, status: 'expired' };
    case 'MeshLeaseReleased':
      return { ...was, status: 'released' };
    case 'MeshTaskCompleted': {
      const { resultRef, completedAt } = data;
      return { ...was, status: 'completed', resultRef, completedAt };
    }
  }
};

/** Which agent has a task of an account, and until when? */
export const meshTasks: Projection<MeshTaskEvent, MeshTaskDocument> = {
  name: 'mesh-tasks',
  version: 1,
  on: {
    MeshTaskHandedOff,
    MeshLeaseRenewed,
    MeshLeaseExpired,
    MeshLeaseReleased,
    MeshTaskCompleted,
  },
  keys: ({ data }) => [meshTaskKey(data.accountId, data.taskId)],
  initial: () => ({ task: null }),
  project: (event, { task }) => {
    if (event.type === 'MeshTaskHandedOff') return handedOff(event, task);
    return { task: task && changed(event, task) };
  },
};
