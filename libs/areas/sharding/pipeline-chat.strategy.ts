import { Inject, Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  type Delivery,
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { pipelineOrderOf } from './pipeline-chat.request.js';
import { type PipelineReceipt, PipelineRuns } from './pipeline-runs.js';

/** Chats that a sharded pipeline answers. */
@Injectable()
export class PipelineChatStrategy extends TextChatStrategy<PipelineReceipt> {
  constructor(@Inject(PipelineRuns) private readonly runs: Pick<PipelineRuns, 'start'>) {
    super();
  }

  protected override async begin(
    order: ChatOrder,
    signal: AbortSignal,
    delivery: Delivery,
  ): Promise<TextAnswer<PipelineReceipt>> {
    const started = await this.runs.start(pipelineOrderOf(order), signal, delivery);
    return { rig: null, attempts: [], ...started };
  }

  protected override endOf({ used, end, entry, cut }: PipelineReceipt): TextEnd {
    const { promptTokens, completionTokens } = used;
    const usage = { promptTokens, completionTokens, source: 'counted' } as const;
    return { usage, entry, cut, finishReason: end?.finishReason ?? null };
  }
}
