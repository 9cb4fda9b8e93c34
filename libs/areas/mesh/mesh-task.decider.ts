import {
  MeshLeaseExpired,
  MeshLeaseReleased,
  MeshLeaseRenewed,
  MeshTaskCompleted,
  type MeshTaskEvent,
  MeshTaskHandedOff,
} from '#events/mesh/mesh-task.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { earlier, later, msBetween, plusMs } from '#platform/kernel/instants.js';
import { reject } from './mesh.errors.js';

/** How often one task may get an agent. */
export const HANDOFFS_MAX = 1_000;
/** How long one lease may be renewed, from its handoff. */
export const RENEWABLE_MS = 24 * 60 * 60 * 1_000;
/** A heartbeat renews the lease once this part of its time has passed: three renewals at most. */
const RENEWED_AFTER = 1 / 3;

interface OfTask {
  readonly accountId: string;
  readonly taskId: string;
  /** ISO 8601 UTC with milliseconds, by the clock of the process that decides. */
  readonly at: string;
}

interface OfLease extends OfTask {
  readonly agent: string;
  readonly token: number;
}

export interface Handoff extends OfTask {
  readonly handoffId: string;
  readonly fromAgent: string | null;
  readonly toAgent: string;
  /** Of the current lease, from its holder; null to take a task without a holder. */
  readonly token: number | null;
  readonly ttlSeconds: number;
  readonly contextRef: string | null;
}

export type MeshTaskCommand =
  | { readonly type: 'HandOffTask'; readonly data: Handoff }
  | { readonly type: 'RenewLease'; readonly data: OfLease }
  | { readonly type: 'ReleaseLease'; readonly data: OfLease }
  | {
      readonly type: 'CompleteTask';
      readonly data: OfLease & { readonly resultRef: string | null };
    }
  | { readonly type: 'ExpireLease'; readonly data: Omit<OfLease, 'agent'> };

/** A task that was handed off, with its last lease. */
export interface KnownTask {
  readonly status: 'leased' | 'expired' | 'released' | 'completed';
  readonly agent: string;
  readonly token: number;
  readonly handoffId: string;
  readonly ttlSeconds: number;
  readonly expiresAt: string;
  readonly renewableUntil: string;
  /** Of the last event. */
  readonly at: string;
}

export type MeshTaskState = { readonly status: 'absent' } | KnownTask;

/** Clocks of two processes differ: time does not go back within one stream. */
const nowOf = (task: KnownTask, { at }: OfTask): string => later(task.at, at);

/** The lease has no end event and has not ended by the clock. */
const isLeased = (task: KnownTask, at: string): boolean =>
  task.status === 'leased' && at < task.expiresAt;

/** @throws DomainError `mesh_task_not_found` */
export const knownOf = (state: MeshTaskState, { taskId }: Pick<OfTask, 'taskId'>): KnownTask =>
  state.status === 'absent' ? reject('mesh_task_not_found', `there is no task ${taskId}`) : state;

const demandOpen = (task: KnownTask, { taskId }: OfTask): void => {
  if (task.status === 'completed') reject('mesh_task_completed', `task ${taskId} is completed`);
};

/** Only the current lease, before its end, is valid. */
const demandValidLease = (task: KnownTask, agent: string | null, token: number, now: string) => {
  if (token !== task.token) {
    reject('mesh_token_stale', `the fencing token of the task is ${task.token}, and not ${token}`);
  }
  if (agent !== task.agent) reject('mesh_not_holder', `the token belongs to ${task.agent}`);
  if (task.status === 'released') {
    reject('mesh_lease_released', 'the agent has released this lease');
  }
  if (!isLeased(task, now)) {
    reject('mesh_lease_expired', `the lease ended at ${task.expiresAt}`);
  }
};

const handOff = (data: Handoff, state: MeshTaskState): readonly MeshTaskEvent[] => {
  const { at, token: presented, ...rest } = data;
  if (state.status === 'absent' && presented !== null) {
    reject('mesh_task_not_found', `there is no task ${data.taskId}`);
  }
  if (state.status === 'absent') return [leaseOf(rest, 1, 'created', at)];
  if (state.handoffId === data.handoffId) return [];
  demandOpen(state, data);
  const now = nowOf(state, data);
  if (presented !== null) demandValidLease(state, data.fromAgent, presented, now);
  else demandFree(state, now);
  if (state.token >= HANDOFFS_MAX) {
    reject('mesh_handoffs_exhausted', `a task is handed off at most ${HANDOFFS_MAX} times`);
  }
  return [leaseOf(rest, state.token + 1, becauseOf(state, now), now)];
};

const demandFree = (task: KnownTask, now: string): void => {
  if (!isLeased(task, now)) return;
  const { agent, expiresAt } = task;
  const detail = `${agent} has the task until ${expiresAt}; only its fencing token hands it on`;
  reject('mesh_lease_held', detail, { holder: agent, lease_expires_at: expiresAt });
};

const becauseOf = (task: KnownTask, now: string): 'handed_off' | 'expired' | 'released' => {
  if (isLeased(task, now)) return 'handed_off';
  return task.status === 'released' ? 'released' : 'expired';
};

const leaseOf = (
  handoff: Omit<Handoff, 'at' | 'token'>,
  token: number,
  because: MeshTaskHandedOff['data']['because'],
  at: string,
): MeshTaskHandedOff =>
  MeshTaskHandedOff.of({
    ...handoff,
    token,
    because,
    handedOffAt: at,
    expiresAt: plusMs(at, handoff.ttlSeconds * 1_000),
    renewableUntil: plusMs(at, RENEWABLE_MS),
  });

/** Nothing new while most of the lease is left: the log grows by the time held, not by beats. */
const renew = (data: OfLease, task: KnownTask): readonly MeshTaskEvent[] => {
  const now = nowOf(task, data);
  demandOpen(task, data);
  demandValidLease(task, data.agent, data.token, now);
  const ttlMs = task.ttlSeconds * 1_000;
  const passedMs = ttlMs - msBetween(now, task.expiresAt);
  const expiresAt = earlier(plusMs(now, ttlMs), task.renewableUntil);
  if (passedMs < ttlMs * RENEWED_AFTER || expiresAt <= task.expiresAt) return [];
  const { at: _, ...lease } = data;
  return [MeshLeaseRenewed.of({ ...lease, renewedAt: now, expiresAt })];
};

const endedBy = (task: KnownTask, { agent, token }: OfLease): boolean =>
  agent === task.agent && token === task.token;

const release = (data: OfLease, task: KnownTask): readonly MeshTaskEvent[] => {
  if (task.status === 'released' && endedBy(task, data)) return [];
  demandOpen(task, data);
  const now = nowOf(task, data);
  demandValidLease(task, data.agent, data.token, now);
  const { at: _, ...lease } = data;
  return [MeshLeaseReleased.of({ ...lease, releasedAt: now })];
};

const complete = (
  data: Extract<MeshTaskCommand, { readonly type: 'CompleteTask' }>['data'],
  task: KnownTask,
): readonly MeshTaskEvent[] => {
  if (task.status === 'completed' && endedBy(task, data)) return [];
  demandOpen(task, data);
  const now = nowOf(task, data);
  demandValidLease(task, data.agent, data.token, now);
  const { at: _, ...lease } = data;
  return [MeshTaskCompleted.of({ ...lease, completedAt: now })];
};

/** Nothing new where the lease was renewed, handed on or ended meanwhile. */
const expire = (
  { accountId, taskId, token, at }: Omit<OfLease, 'agent'>,
  task: KnownTask,
): readonly MeshTaskEvent[] => {
  const now = later(task.at, at);
  if (task.status !== 'leased' || task.token !== token || isLeased(task, now)) return [];
  const { agent } = task;
  return [MeshLeaseExpired.of({ accountId, taskId, agent, token, expiredAt: now })];
};

const decide = (command: MeshTaskCommand, state: MeshTaskState): readonly MeshTaskEvent[] => {
  const { type, data } = command;
  switch (type) {
    case 'HandOffTask':
      return handOff(data, state);
    case 'RenewLease':
      return renew(data, knownOf(state, data));
    case 'ReleaseLease':
      return release(data, knownOf(state, data));
    case 'CompleteTask':
      return complete(data, knownOf(state, data));
    case 'ExpireLease':
      return expire(data, knownOf(state, data));
  }
};

const evolve = (state: MeshTaskState, { type, data }: MeshTaskEvent): MeshTaskState => {
  if (type === 'MeshTaskHandedOff') {
    const { toAgent: agent, token, handoffId, ttlSeconds, expiresAt, renewableUntil } = data;
    const lease = { agent, token, handoffId, ttlSeconds, expiresAt, renewableUntil };
    return { ...lease, status: 'leased', at: data.handedOffAt };
  }
  if (state.status === 'absent') return state;
  switch (type) {
    case 'MeshLeaseRenewed':
      return { ...state, expiresAt: data.expiresAt, at: data.renewedAt };
    case 'MeshLeaseExpired':
      return { ...state, status: 'expired', at: data.expiredAt };
    case 'MeshLeaseReleased':
      return { ...state, status: 'released', at: data.releasedAt };
    case 'MeshTaskCompleted':
      return { ...state, status: 'completed', at: data.completedAt };
  }
};

/**
 * One task and its leases. At most one lease is valid at any instant: the last one, until it is
 * released, completed, handed on, or ended by the clock. Every lease has a higher token than the
 * one before.
 */
export const meshTaskDecider: Decider<MeshTaskCommand, MeshTaskState, MeshTaskEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
