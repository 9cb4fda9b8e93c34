import { z } from 'zod';
import { AgentEnd, AgentSessionStarted } from '#events/agents/agent-session.events.js';
import { AGENT_JOB } from '#events/agents/agent.job.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { AgentRunner } from './session/agent-runner.js';

const MINUTE_MS = 60_000;
export const QUEUE_MS_MAX = 10 * MINUTE_MS;
export const RUN_MS_MAX = 30 * MINUTE_MS;

/** The first event of the session: the attempt appends it, should a crash have left it out. */
export const AgentJobInput = AgentSessionStarted.schema;
export type AgentJobInput = z.infer<typeof AgentJobInput>;

/** In the events of the job; the session's own events have the rest. */
export const AgentJobProgress = z.strictObject({ steps: z.int().nonnegative() });
export type AgentJobProgress = z.infer<typeof AgentJobProgress>;

export const AgentJobResult = z.strictObject({ status: AgentEnd.nullable() });
export type AgentJobResult = z.infer<typeof AgentJobResult>;

/** A session is one job without a price: its own hold pays for it. */
export const agentJob = defineJob({
  name: AGENT_JOB,
  title: 'Agent session',
  input: AgentJobInput,
  progress: AgentJobProgress,
  checkpoint: z.null(),
  result: AgentJobResult,
  place: { on: 'areas', runner: AgentRunner },
  limits: {
    openPerAccountMax: 100,
    runningPerAccountMax: 8,
    runningPerHostMax: 32,
    queueMsMax: QUEUE_MS_MAX,
    runMsMax: RUN_MS_MAX,
  },
  retry: { attemptsMax: 5, backOff: { firstMs: 500, maxMs: 15_000 }, failures: {} },
  // The log has every step already; a second job would belong to no session.
  repeats: 'never',
  price: null,
});
