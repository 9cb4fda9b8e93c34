import { z } from 'zod';

/** Items of one map node. */
export const ITEMS_MAX = 500;
export const WAIT_SECONDS_MAX = 30 * 24 * 60 * 60;

const Name = z.string().min(1).max(64);

const Condition = z.strictObject({
  value: z.unknown().describe('The value to compare, such as {{ nodes.judge.output.text }}.'),
  operator: z.enum([
    'equals',
    'not_equals',
    'contains',
    'not_contains',
    'greater_than',
    'less_than',
    'is_empty',
    'is_not_empty',
  ]),
  to: z.unknown().optional().describe('The value to compare with; left out for is_empty.'),
});
export type Condition = z.infer<typeof Condition>;

export const BranchParameters = z.strictObject({
  cases: z
    .array(z.strictObject({ when: Condition, then: z.array(Name).max(100) }))
    .min(1)
    .max(50)
    .describe('The first case whose condition holds decides which nodes after it may run.'),
  otherwise: z.array(Name).max(100).default([]),
});

export const MapParameters = z.strictObject({
  items: z.array(z.unknown()).max(ITEMS_MAX).describe('A list, such as {{ nodes.find.output }}.'),
  tool: z.string().describe('The tool that is called for each item.'),
  parameters: z
    .record(z.string(), z.unknown())
    .describe('Its input; {{ item }} and {{ index }} are the item and its number.'),
});

export const WaitParameters = z
  .strictObject({
    seconds: z.number().min(0).max(WAIT_SECONDS_MAX).optional(),
    until: z.iso.datetime().optional(),
  })
  .refine(({ seconds, until }) => (seconds === undefined) !== (until === undefined), {
    message: 'give either seconds or until',
    path: ['seconds'],
  });

export const ApprovalParameters = z.strictObject({
  message: z.string().max(1_000).optional().describe('The question to the approver.'),
  expires_after_seconds: z.number().min(1).max(WAIT_SECONDS_MAX).optional(),
});

/** The kinds that call no tool themselves. */
export const CONTROL_KINDS = {
  branch: {
    description: 'Chooses which of the nodes after it may run. The others are skipped.',
    parameters: BranchParameters,
  },
  map: {
    description: 'Calls a tool for each item of a list. Its output is the list of the outputs.',
    parameters: MapParameters,
  },
  wait: {
    description: 'Waits for a time, or until an instant.',
    parameters: WaitParameters,
  },
  approval: {
    description: 'Waits until the owner of the run approves or rejects it.',
    parameters: ApprovalParameters,
  },
} as const;

export type ControlKind = keyof typeof CONTROL_KINDS;

export const isControlKind = (kind: string): kind is ControlKind =>
  Object.hasOwn(CONTROL_KINDS, kind);
