import { Inject, Injectable } from '@nestjs/common';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { chargedLines } from '#platform/jobs/job.usage.js';
import { type HoldEnd } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { onRigs } from '#platform/ledger/rig-lines.js';
import { type CommandContext, followUp } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
} from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';
import { mcpCallProduct } from '../agent.product.js';

const { purpose } = mcpCallProduct;

/** The longest call of an MCP client, and the time that its charge has after it. */
export const MCP_CALL_MS_MAX = 10 * 60_000;
const SETTLE_MS = 60_000;

/** One call of an MCP client; its request id is that of the call and of the hold. */
export interface McpCallOrder {
  readonly tool: string;
  readonly input: unknown;
  readonly accountId: string;
  readonly context: CommandContext;
  /** Whether this request still owns the call; absent where nobody else can. */
  readonly confirm?: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** A call whose process ended, or could not determine its charge. */
export interface LeftCall {
  readonly accountId: string;
  readonly requestId: string;
  /** By the clock of its process, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** The work was done; whether it was charged is not known. The next request with its key finds out. */
export class UnknownChargeError extends Error {
  override readonly name = 'UnknownChargeError';
}

/** Runs single calls of tools: each is held before, and charged after. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly tools: Tools,
    private readonly ledger: Ledger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws UnknownChargeError; otherwise ToolError, DomainError and technical failures of the
   *   area of the tool, and then nothing is charged
   */
  async run(order: McpCallOrder): Promise<ToolOutcome<unknown>> {
    const call = toolCallOf(order, this.clock.now());
    const estimate = await this.tools.estimate(order.tool, order.input, call);
    if (estimate.rateCardVersion === null) {
      return this.tools.run(order.tool, order.input, call);
    }
    await this.#hold(order, call, estimate, estimate.rateCardVersion);
    const outcome = await this.#runHeld(order, call);
    await this.#charge(order, estimate, outcome).catch((cause: unknown) => {
      throw new UnknownChargeError('the charge of a call is not known', { cause });
    });
    return outcome;
  }

  /** Finds out whether a call was charged whose request was left; one that was not never will be. */
  settle(
    { accountId, requestId: holdId, startedAtMs }: LeftCall,
    context: CommandContext,
  ): Promise<HoldEnd> {
    const left = { accountId, holdId, reason: 'internal_error' } as const;
    const { requestId: id, correlationId, actor } = context;
    return this.ledger.settle(
      {
        ...left,
        notBefore: new Date(startedAtMs).toISOString(),
        releasedAt: instant(this.clock),
      },
      // The request has its own hold to release; its ids are derived in the same way.
      followUp({ id, correlationId }, `settle ${holdId}`, actor),
    );
  }

  async #hold(
    { accountId, context, tool, confirm }: McpCallOrder,
    { id: holdId, pricedAtMs }: ToolCall,
    { lines }: ToolEstimate,
    rateCardVersion: number,
  ): Promise<void> {
    await this.ledger.place(
      {
        accountId,
        holdId,
        purpose,
        lines: [...lines],
        rateCardVersion,
        shrink: null,
        evidence: { tool },
        placedAt: new Date(pricedAtMs).toISOString(),
        expiresAt: new Date(pricedAtMs + MCP_CALL_MS_MAX + SETTLE_MS).toISOString(),
        ...(context.key !== undefined && { key: context.key }),
      },
      context,
    );
    if ((await confirm?.()) ?? true) return;
    await this.#free({ accountId, context }, holdId);
    throw new ToolError('superseded', 'another request with this key has taken the call over');
  }

  async #runHeld(order: McpCallOrder, call: ToolCall): Promise<ToolOutcome<unknown>> {
    try {
      return await this.tools.run(order.tool, order.input, call);
    } catch (error) {
      // The hold of a call that failed expires, should the log be away now.
      await this.#free(order, call.id).catch(() => undefined);
      throw error;
    }
  }

  #free(
    { accountId, context }: Pick<McpCallOrder, 'accountId' | 'context'>,
    holdId: string,
  ): Promise<void> {
    const released = { accountId, holdId, reason: 'upstream_failed' } as const;
    return this.ledger.release({ ...released, releasedAt: instant(this.clock) }, context);
  }

  async #charge(
    { accountId, context, tool }: McpCallOrder,
    { lines: held }: ToolEstimate,
    { used }: ToolOutcome<unknown>,
  ): Promise<void> {
    const { lines, excess } = chargedLines(held, used);
    await this.ledger.capture(
      {
        accountId,
        holdId: context.requestId,
        purpose,
        ...onRigs(lines),
        usageSource: 'counted',
        excess: [...excess],
        outcome: 'completed',
        evidence: { tool },
        capturedAt: instant(this.clock),
      },
      context,
    );
  }
}

const toolCallOf = ({ accountId, context, signal }: McpCallOrder, pricedAtMs: number): ToolCall => {
  const { requestId, actor } = context;
  return { id: requestId, accountId, actor, requestId, pricedAtMs, signal };
};
