import { Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { SwarmChatStrategy } from '../swarm-chat.strategy.js';
import { type SwarmStream } from '../swarm-stream.js';
import { consensusAskedOf } from './consensus-asked.js';
import { ConsensusChats } from './consensus-chats.js';
import { type ConsensusReport, consensusTelemetryOf, costTreeHeader } from './consensus-report.js';

/** Chats that several members propose and one model merges. */
@Injectable()
export class ConsensusChatStrategy extends SwarmChatStrategy<ConsensusReport> {
  constructor(private readonly chats: ConsensusChats) {
    super();
  }

  protected override start(
    caller: PaidOrder,
    body: ChatOrder['body'],
    signal: AbortSignal,
  ): Promise<SwarmStream<ConsensusReport>> {
    return this.chats.begin({ ...caller, ...consensusAskedOf(body) }, signal);
  }

  protected override shown(report: ConsensusReport) {
    return {
      fields: { moa_telemetry: consensusTelemetryOf(report) },
      headers: costTreeHeader(report),
    };
  }
}
