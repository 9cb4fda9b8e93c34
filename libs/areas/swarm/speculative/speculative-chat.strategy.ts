import { Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { SwarmChatStrategy } from '../swarm-chat.strategy.js';
import { type SwarmStream } from '../swarm-stream.js';
import { speculativeAskedOf } from './speculative-asked.js';
import { SpeculativeChats } from './speculative-chats.js';
import { type SpeculativeReport, telemetryOf } from './speculative-report.js';

/** Chats that a target answers with a draft. */
@Injectable()
export class SpeculativeChatStrategy extends SwarmChatStrategy<SpeculativeReport> {
  constructor(private readonly chats: SpeculativeChats) {
    super();
  }

  protected override start(
    caller: PaidOrder,
    body: ChatOrder['body'],
    signal: AbortSignal,
  ): Promise<SwarmStream<SpeculativeReport>> {
    return this.chats.begin({ ...caller, ...speculativeAskedOf(body) }, signal);
  }

  protected override shown(report: SpeculativeReport) {
    return { fields: { speculative_telemetry: telemetryOf(report) } };
  }
}
