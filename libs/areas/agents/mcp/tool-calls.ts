import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { chargedLines } from '#platform/jobs/job.usage.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import {
  type Charge,
  type HeldRequest,
  PaidRequests,
} from '#platform/ledger/paid-work/paid-request.js';
import { onRigs } from '#platform/ledger/rig-lines.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type ToolCall, type ToolEstimate, type ToolOutcome } from '#platform/tools/tool.js';
import { type ToolFailure, Tools } from '#platform/tools/tools.js';
import { mcpCallProduct } from '../agent.product.js';
import { RegisteredTools } from '../registered-servers/registered-tools.js';

/** The time limit of a call. */
export const MCP_CALL_MS_MAX = 10 * 60_000;

/** One call of an MCP client; its request id is the id of the call. */
export interface McpCallOrder extends PaidOrder {
  readonly tool: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export type CallAnswer = { readonly output: unknown } | { readonly failure: ToolFailure };

/** The work was done, and its charge is not known: the next request with its key finds out. */
export class UnknownChargeError extends Error {
  override readonly name = 'UnknownChargeError';
}

/** Runs single calls of tools: each is held before, and charged after. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly tools: Tools,
    private readonly registered: RegisteredTools,
    private readonly paid: PaidRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The output of a call, or why it failed.
   * @throws UnknownChargeError, and defects
   */
  async answer(order: McpCallOrder): Promise<CallAnswer> {
    try {
      const { output } = await this.run(order);
      return { output };
    } catch (error) {
      const failure = error instanceof UnknownChargeError ? null : this.tools.failureOf(error);
      if (!failure) throw error;
      return { failure };
    }
  }

  /**
   * @throws UnknownChargeError; otherwise ToolError, DomainError, RequestCutError and technical
   *   failures of the area of the tool: then only the usage that the error states is charged
   */
  async run(order: McpCallOrder): Promise<ToolOutcome<unknown>> {
    const { tool, input } = order;
    const call = toolCallOf(order, this.clock.now());
    const { lines, rateCardVersion } = await this.#toolsWith(tool).estimate(tool, input, call);
    if (rateCardVersion === null) return this.#toolsWith(tool).run(tool, input, call);
    const held = await this.paid.admit(order, {
      purpose: mcpCallProduct.purpose,
      lines: [...lines],
      rateCardVersion,
      evidence: { tool },
      pricedAtMs: call.pricedAtMs,
      requestMsMax: MCP_CALL_MS_MAX,
    });
    try {
      const outcome = await this.#toolsWith(tool).run(tool, input, call);
      await charge(held, { tool, lines, used: outcome.used, outcome: 'completed' });
      return outcome;
    } catch (error) {
      if (!(error instanceof UnknownChargeError)) await this.#end(held, error, { ...order, lines });
      throw error;
    }
  }

  /** A name that no tool of this gateway has is a name of a registered server, or unknown. */
  #toolsWith(name: string): Pick<Tools, 'estimate' | 'run'> {
    return this.tools.find(name) ? this.tools : this.registered;
  }

  async #end(
    held: HeldRequest,
    error: unknown,
    { tool, lines, signal }: Pick<McpCallOrder, 'tool' | 'signal'> & Pick<ToolEstimate, 'lines'>,
  ): Promise<void> {
    const used = this.tools.usedBy(error);
    const cut = cutOf(signal)?.reason;
    if (used.length > 0) return charge(held, { tool, lines, used, outcome: cut ?? 'completed' });
    // If the log is away now, the hold of the failed call expires.
    await held.release(cut ?? 'upstream_failed').catch(() => undefined);
  }
}

interface EndedCall extends Pick<ToolEstimate, 'lines'>, Pick<ToolOutcome<unknown>, 'used'> {
  readonly tool: string;
  /** A tool that answers with a failure has completed its work, too. */
  readonly outcome: Charge['outcome'];
}

const charge = async (
  held: HeldRequest,
  { tool, lines: priced, used, outcome }: EndedCall,
): Promise<void> => {
  const { lines, excess } = chargedLines(priced, used);
  try {
    await held.capture({
      ...onRigs(lines),
      usageSource: 'counted',
      excess: [...excess],
      outcome,
      evidence: { tool },
    });
  } catch (cause) {
    throw new UnknownChargeError('the charge of a call is not known', { cause });
  }
};

const toolCallOf = ({ accountId, context, signal }: McpCallOrder, pricedAtMs: number): ToolCall => {
  const { requestId, actor } = context;
  return { id: requestId, accountId, actor, requestId, pricedAtMs, signal };
};
