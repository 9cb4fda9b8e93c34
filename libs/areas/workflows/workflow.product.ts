import {
  WorkflowCaptureEvidence,
  WorkflowHoldEvidence,
} from '#events/workflows/workflow.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** A run of a workflow: the calls of its nodes. A step of its lines is a node. */
export const workflowProduct = defineProduct({
  purpose: 'workflow_run',
  group: 'compute',
  title: 'Workflow runs',
  meters: {},
  callsTools: true,
  holdEvidence: WorkflowHoldEvidence,
  captureEvidence: WorkflowCaptureEvidence,
});
