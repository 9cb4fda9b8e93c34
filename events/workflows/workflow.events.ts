import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant } from '../vocabulary.js';
import { WorkflowBlob, WorkflowId, WorkflowPlan } from './workflow.vocabulary.js';

/** The workflows of an account: one stream `workflows-<account>`. */
const ofWorkflow = { accountId: AccountId, workflowId: WorkflowId };

export const WorkflowCreated = defineEvent('WorkflowCreated', {
  version: 1,
  schema: z.strictObject({
    ...ofWorkflow,
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
    createdAt: Instant,
  }),
});
export type WorkflowCreated = EventOf<typeof WorkflowCreated>;

/** The content of a version never changes; a run names the version that it runs. */
export const WorkflowVersioned = defineEvent('WorkflowVersioned', {
  version: 1,
  schema: z.strictObject({
    ...ofWorkflow,
    /** From 1. */
    version: z.int().positive(),
    plan: WorkflowPlan,
    /** The definition as its author sent it, with the parameters. */
    definition: WorkflowBlob,
    /** The request that made it: a repeat makes no second version. */
    requestId: z.uuid(),
    versionedAt: Instant,
  }),
});
export type WorkflowVersioned = EventOf<typeof WorkflowVersioned>;

export type WorkflowEvent = WorkflowCreated | WorkflowVersioned;

export const workflowEvents = [WorkflowCreated, WorkflowVersioned] as const;
