import { z } from 'zod';
import { AGENT_JOB } from '#events/agents/agent.job.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { AgentJobInput, AgentJobProgress, AgentJobResult } from './session/agent-job.schemas.js';
import { AgentRunner } from './session/agent-runner.js';

const MINUTE_MS = 60_000;
export const QUEUE_MS_MAX = 10 * MINUTE_MS;
export const RUN_MS_MAX = 30 * MINUTE_MS;

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
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 500, maxMs: 15_000 },
    failures: { planner_unavailable: 'retry' },
  },
  // The log has every step already; a second job would belong to no session.
  repeats: 'never',
  price: null,
});
