import { z } from 'zod';

/** A definition as its author writes it. */
export const NODES_MAX = 100;
export const INPUTS_MAX = 50;
export const CONCURRENCY_MAX = 32;
export const ATTEMPTS_MAX = 20;
/** A definition as JSON. */
export const DEFINITION_BYTES_MAX = 262_144;
const DAY_SECONDS = 24 * 60 * 60;
export const RUN_SECONDS_MAX = 30 * DAY_SECONDS;

const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be lower case, digits, dashes and underscores');

const Retry = z.strictObject({
  attempts_max: z.int().min(1).max(ATTEMPTS_MAX).default(3),
  first_pause_ms: z.int().min(0).max(3_600_000).default(1_000),
  pause_ms_max: z.int().min(0).max(3_600_000).default(100_000),
});

export const DocumentNode = z.strictObject({
  name: Name,
  kind: z.string().min(1).max(64).describe('A tool, or branch, map, wait, approval.'),
  after: z.array(Name).max(NODES_MAX).default([]).describe('The nodes before it.'),
  trigger_rule: z
    .enum(['all_success', 'one_failed', 'all_done', 'none_failed'])
    .default('all_success'),
  parameters: z.record(z.string(), z.unknown()).default({}),
  retry: Retry.optional().describe('Left out: one attempt.'),
  timeout_seconds: z.number().min(0.001).max(DAY_SECONDS).optional().describe('Of one attempt.'),
});
export type DocumentNode = z.infer<typeof DocumentNode>;

const INPUT_TEXT_MAX = 1_000;

export const WorkflowDocument = z.strictObject({
  description: z.string().max(INPUT_TEXT_MAX).optional(),
  inputs: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'is not the name of an input'),
      z.strictObject({
        description: z.string().max(INPUT_TEXT_MAX).optional(),
        default: z.string().optional().describe('Left out: a run must give the input.'),
      }),
    )
    .refine((inputs) => Object.keys(inputs).length <= INPUTS_MAX, `more than ${INPUTS_MAX} inputs`)
    .default({}),
  concurrency: z.int().min(1).max(CONCURRENCY_MAX).default(8),
  timeout_seconds: z.int().min(1).max(RUN_SECONDS_MAX).default(DAY_SECONDS),
  nodes: z.array(DocumentNode).min(1).max(NODES_MAX),
});
export type WorkflowDocument = z.infer<typeof WorkflowDocument>;
