import { z } from 'zod';
import { UsageDoubts } from '../token-usage.vocabulary.js';
import { NodeEnd, RunEnd } from './workflow-run.events.js';
import { NodeKind, NodePath, WorkflowId } from './workflow.vocabulary.js';

/** The evidence of the product `workflow_run`: which graph ran, and how each node ended. */
export const WorkflowHoldEvidence = z.strictObject({
  workflowId: WorkflowId,
  version: z.int().positive(),
});

export const WorkflowCaptureEvidence = WorkflowHoldEvidence.extend({
  status: RunEnd,
  nodes: z.record(
    NodePath,
    z.strictObject({
      kind: NodeKind,
      status: NodeEnd,
      attempts: z.int().nonnegative(),
      usageDoubts: UsageDoubts.exactOptional(),
    }),
  ),
});
export type WorkflowCaptureEvidence = z.infer<typeof WorkflowCaptureEvidence>;
