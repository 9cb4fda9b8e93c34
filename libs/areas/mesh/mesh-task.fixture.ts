import {
  MeshLeaseExpired,
  MeshLeaseReleased,
  MeshLeaseRenewed,
  MeshTaskCompleted,
  MeshTaskHandedOff,
} from '#events/mesh/mesh-task.events.js';
import { type Handoff } from './mesh-task.decider.js';

/** A task of account 7 with leases of 300 s, from 10:00:00 on. */
export const TASK = { accountId: '7', taskId: 'survey-4711' } as const;
export const TTL_SECONDS = 300;
const START = Date.parse('2026-11-22T10:00:00.000Z');

/** The instant `seconds` after the start. */
export const after = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

export const HANDOFF_ID = '0b8f7c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
export const OTHER_HANDOFF_ID = '1c9a8d63-2e4f-5a7b-9cad-1e2f3a4b5c6d';

const DAY_SECONDS = 86_400;

export const handoff = (toAgent: string, given: Partial<Handoff> = {}) => ({
  type: 'HandOffTask' as const,
  data: {
    ...TASK,
    handoffId: OTHER_HANDOFF_ID,
    fromAgent: null,
    toAgent,
    token: null,
    ttlSeconds: TTL_SECONDS,
    contextRef: null,
    at: after(0),
    ...given,
  },
});

export const handedOff = (
  toAgent: string,
  seconds: number,
  given: Partial<MeshTaskHandedOff['data']> = {},
): MeshTaskHandedOff =>
  MeshTaskHandedOff.of({
    ...TASK,
    handoffId: OTHER_HANDOFF_ID,
    fromAgent: null,
    toAgent,
    token: 1,
    because: 'created',
    ttlSeconds: TTL_SECONDS,
    contextRef: null,
    handedOffAt: after(seconds),
    expiresAt: after(seconds + TTL_SECONDS),
    renewableUntil: after(seconds + DAY_SECONDS),
    ...given,
  });

/** The first lease, of `ann`. */
export const leased = handedOff('ann', 0, { handoffId: HANDOFF_ID });

export const lease = (agent: string, token: number) => ({ ...TASK, agent, token });

export const renewed = (seconds: number, until: number, token = 1, agent = 'ann') =>
  MeshLeaseRenewed.of({
    ...lease(agent, token),
    renewedAt: after(seconds),
    expiresAt: after(until),
  });

export const expired = (seconds: number) =>
  MeshLeaseExpired.of({ ...lease('ann', 1), expiredAt: after(seconds) });

export const released = (seconds: number) =>
  MeshLeaseReleased.of({ ...lease('ann', 1), releasedAt: after(seconds) });

export const completed = (seconds: number, resultRef: string | null = null) =>
  MeshTaskCompleted.of({ ...lease('ann', 1), resultRef, completedAt: after(seconds) });
