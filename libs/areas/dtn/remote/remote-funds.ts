import { Inject, Injectable } from '@nestjs/common';
import { type CustodyHold } from '#events/dtn/dtn.events.js';
import { labelsOf } from '#events/hold.vocabulary.js';
import {
  type RemoteChatCaptureEvidence,
  type RemoteChatHoldEvidence,
} from '#events/dtn/remote-chat.evidence.js';
import { type RemoteRequestPlaced } from '#events/dtn/remote.events.js';
import { type Clock } from '#platform/kernel/clock.js';
import { plusMs } from '#platform/kernel/instants.js';
import { MeterPrices, pricedLines } from '#platform/ledger/meter-prices.port.js';
import {
  PaidProcesses,
  type ProcessHold,
  type Settlement,
} from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { reject } from '../dtn.errors.js';
import { COMPLETION_METER, PROMPT_METER, remoteChatProduct } from './remote-chat.product.js';
import { type RemoteState } from './remote-request.decider.js';

export type PricedRequest = Omit<RemoteRequestPlaced['data'], 'hold'>;

/** The hold outlasts the request, so that its end finds it open. */
const SETTLE_MS = 86_400_000;

/** Holds the upper amount of a request, and ends the hold by the events of the request alone. */
@Injectable()
export class RemoteFunds {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `dtn_not_priced`, `insufficient_balance`, `budget_exceeded` */
  async place(request: PricedRequest, holdId: string, context: CommandContext) {
    const { promptTokensMax, completionTokensMax, expiresAt, placedAt } = request;
    const priced = pricedLines(this.prices.inForce(this.clock.now()), {
      units: usageOf(promptTokensMax, completionTokensMax),
      reject: (detail) => reject('dtn_not_priced', detail),
    });
    const hold: CustodyHold = {
      ...{ holdId, ...priced, expiresAt: plusMs(expiresAt, SETTLE_MS) },
      ...labelsOf(context),
    };
    await this.processes.place(holdOf(request, hold), placedAt, context);
    return hold;
  }

  /** A repeat changes nothing; a request that has not ended is left. */
  async settle(
    { placed, settled, expiredAt }: RemoteState,
    context: CommandContext,
  ): Promise<Settlement | null> {
    if (!placed) return null;
    const hold = holdOf(placed, placed.hold);
    if (settled) {
      const { requestId, node, bundleId } = placed;
      const { status, promptTokens, completionTokens, receiptSha256, settledAt } = settled;
      const evidence: RemoteChatCaptureEvidence = { requestId, node, bundleId, receiptSha256 };
      const usage = usageOf(promptTokens, completionTokens);
      const ended = { hold, status, endedAt: settledAt };
      return this.processes.charge({ ...ended, usage, usageSource: 'counted', evidence }, context);
    }
    if (expiredAt === null) return null;
    return this.processes.free({ hold, status: 'timed_out', endedAt: expiredAt }, context);
  }
}

const usageOf = (promptTokens: number, completionTokens: number) => [
  { meter: PROMPT_METER, quantity: promptTokens },
  { meter: COMPLETION_METER, quantity: completionTokens },
];

const holdOf = (
  { requestId, accountId, node, bundleId }: PricedRequest,
  hold: CustodyHold,
): ProcessHold => {
  const evidence: RemoteChatHoldEvidence = { requestId, node, bundleId };
  return { accountId, purpose: remoteChatProduct.purpose, evidence, ...hold };
};
