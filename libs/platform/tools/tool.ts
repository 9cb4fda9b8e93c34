import { type Abstract, type Type } from '@nestjs/common';
import { type z } from 'zod';
import { Meter, type PriceLine, type UsedUnits } from '#events/hold.vocabulary.js';
import { type DoubtedUsage } from '#events/token-usage.vocabulary.js';

/** One call of a tool, by a node of a workflow, a step of an agent or an MCP client. */
export interface ToolCall {
  /** A UUID: equal for every repeat of the call, so that its effect happens once. */
  readonly id: string;
  readonly accountId: string;
  /** As in a command context: `user:<id>`. */
  readonly actor: string;
  /** The request that began the work. */
  readonly requestId: string;
  /**
   * The instant whose prices hold for the whole work of the caller, in milliseconds since the Unix
   * epoch: one hold has one rate card.
   */
  readonly pricedAtMs: number;
  /** Aborted when the result is not needed any more: a time-out, a cancellation, a stop. */
  readonly signal: AbortSignal;
}

/** The worst case of a call. */
export interface ToolEstimate {
  /** Without steps: the caller adds its own. Empty for a call that is free. */
  readonly lines: readonly PriceLine[];
  /** The rate card of the prices; null for a call that is free. */
  readonly rateCardVersion: number | null;
}

export interface ToolOutcome<Output> extends DoubtedUsage {
  /** JSON. */
  readonly output: Output;
  /** Charged at the prices of the estimate, and never above it. Its steps are below the call. */
  readonly used: readonly UsedUnits[];
  /** The measured values, units last in the name; null for an unmeasured one. */
  readonly counters: Readonly<Record<string, number | null>>;
}

/** Does the work of a tool. A provider that the module of its area exports. */
export interface ToolRunner<Input, Output> {
  /**
   * The worst case, before any work. It has no effect.
   * @throws ToolError, DomainError and technical failures of the area: the call cannot run
   */
  estimate(input: Input, call: ToolCall): Promise<ToolEstimate>;

  /**
   * The same `call.id` never acts twice outside: a repeat returns the result of the first run,
   * resumes it, or repeats work that has no effect outside.
   * @throws ToolError, DomainError and technical failures of the area
   */
  run(input: Input, call: ToolCall): Promise<ToolOutcome<Output>>;
}

/** A service of this gateway that workflows, agents and MCP clients may call. */
export interface ToolDefinition<Input, Output> {
  /** For definitions and models; it never changes. */
  readonly name: string;
  /** One or two sentences that tell a model when to call it. */
  readonly description: string;
  /** A strict object. Its JSON Schema is what callers see. */
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  /** The meters that are charged, with the unit in words; empty for a tool that is free. */
  readonly meters: Readonly<Record<string, string>>;
  /** A provider that the area's module exports. */
  readonly runner: Type<ToolRunner<Input, Output>> | Abstract<ToolRunner<Input, Output>>;
}

export const TOOL_CALLS_METER = 'tool_calls';
/**
 * The meters of a tool that costs by the call, also by a call that fails: the registry counts. Free
 * where the catalog has no price for it.
 */
export const BY_THE_CALL = { [TOOL_CALLS_METER]: 'calls of tools that cost by the call' } as const;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of unlike tools
export type AnyTool = ToolDefinition<any, any>;

/** As the functions of language models may be called. */
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Ties the runner to the schemas.
 * @throws TypeError for a name that cannot be used; ZodError for such a meter
 */
export const defineTool = <Input, Output>(
  tool: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> => {
  if (!NAME.test(tool.name)) throw new TypeError(`not the name of a tool: ${tool.name}`);
  for (const meter of Object.keys(tool.meters)) Meter.parse(meter);
  return tool;
};

/** The meters of tools, with the unit in words: what work that calls them may be charged for. */
export const metersOf = (tools: readonly AnyTool[]): Readonly<Record<string, string>> =>
  Object.fromEntries(tools.flatMap(({ meters }) => Object.entries(meters)));

/** A call that failed for a reason that its caller may know. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(
    /** Stable, for programs. */
    readonly code: string,
    message: string,
    readonly details: {
      /** Whether the same call may succeed later. Default: false. */
      readonly isRetryable?: boolean;
      /** The field of the input at fault, such as `messages[0].role`. */
      readonly param?: string;
      /** The usage of the call until it failed or was aborted: its caller charges for it. */
      readonly used?: readonly UsedUnits[];
    } = {},
  ) {
    super(message);
  }
}
