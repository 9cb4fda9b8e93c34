import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';

/** Words that the events of workflows and of their runs share. */

/** Unique in its account, from 1. */
export const WorkflowId = z.int().positive();

/** A node as its author names it; the step of its lines in a charge. */
export const NodeName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/);

/** A node of a run: one of the definition, or an item of a map node, such as `each/3`. */
export const NodePath = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}(\/\d{1,4})?$/);

/** A tool, or `branch`, `map`, `wait`, `approval`. */
export const NodeKind = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** Which ends of the nodes before it let a node run, as in Airflow. */
export const TriggerRule = z.enum(['all_success', 'one_failed', 'all_done', 'none_failed']);
export type TriggerRule = z.infer<typeof TriggerRule>;

/** JSON in a blob of the account's owner: parameters, inputs, outputs. */
export const WorkflowBlob = z.strictObject({
  address: Sha256Hex,
  bytes: z.int().nonnegative(),
});
export type WorkflowBlob = z.infer<typeof WorkflowBlob>;

/** A node without its parameters, which may have prompts and secrets. */
export const WorkflowNode = z.strictObject({
  name: NodeName,
  kind: NodeKind,
  /** The tool that it calls; a map node calls one for each item. Null for other control nodes. */
  tool: NodeKind.nullable(),
  /** The nodes before it. */
  after: z.array(NodeName).max(100),
  triggerRule: TriggerRule,
  attemptsMax: z.int().min(1).max(20),
  /** The pause after the first failed attempt; each further one is twice as long. */
  backOffMs: z.int().nonnegative(),
  backOffMsMax: z.int().nonnegative(),
  /** Of one attempt. */
  timeOutMs: z.int().positive().nullable(),
});
export type WorkflowNode = z.infer<typeof WorkflowNode>;

/** The graph of a workflow and its limits. */
export const WorkflowPlan = z.strictObject({
  /** In topological order; independent ones in the order of their names. */
  nodes: z.array(WorkflowNode).min(1).max(100),
  /** Calls of tools at the same time. */
  concurrencyMax: z.int().min(1).max(32),
  /** Of a whole run. */
  timeOutMs: z.int().positive(),
});
export type WorkflowPlan = z.infer<typeof WorkflowPlan>;
