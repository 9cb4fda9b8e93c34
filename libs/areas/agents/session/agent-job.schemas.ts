import { z } from 'zod';
import { AgentEnd, AgentSessionStarted } from '#events/agents/agent-session.events.js';

/** The first event of the session: the attempt appends it, should a crash have left it out. */
export const AgentJobInput = AgentSessionStarted.schema;
export type AgentJobInput = z.infer<typeof AgentJobInput>;

/** In the events of the job; the session's own events have the rest. */
export const AgentJobProgress = z.strictObject({ steps: z.int().nonnegative() });
export type AgentJobProgress = z.infer<typeof AgentJobProgress>;

export const AgentJobResult = z.strictObject({ status: AgentEnd.nullable() });
export type AgentJobResult = z.infer<typeof AgentJobResult>;
