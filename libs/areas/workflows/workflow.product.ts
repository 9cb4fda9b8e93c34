import {
  WorkflowCaptureEvidence,
  WorkflowHoldEvidence,
} from '#events/workflows/workflow.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/**
 * Attempts of nodes of every kind, and of items of maps, also of failed ones: what a run costs by
 * itself. Free where the catalog has no price for it.
 */
export const STEP_METER = 'workflow_steps';

/** A run of a workflow: the calls of its nodes. A step of its lines is a node. */
export const workflowProduct = defineProduct({
  purpose: 'workflow_run',
  group: 'compute',
  title: 'Workflow runs',
  meters: { [STEP_METER]: 'attempts of nodes and items' },
  callsTools: true,
  holdEvidence: WorkflowHoldEvidence,
  captureEvidence: WorkflowCaptureEvidence,
});
