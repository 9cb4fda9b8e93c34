import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { type RigCall } from '#platform/chats/chat-strategy.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type SwarmEnd, type SwarmStream } from './swarm-stream.js';

/** Chats that language models answer together; the report is in the answer and its last chunk. */
export abstract class SwarmChatStrategy<Report> extends TextChatStrategy<SwarmEnd<Report>> {
  protected abstract start(
    caller: PaidOrder,
    body: ChatOrder['body'],
    signal: AbortSignal,
  ): Promise<SwarmStream<Report>>;

  protected abstract shown(report: Report): Pick<TextEnd, 'fields' | 'headers'>;

  protected override async begin(
    { body, others: _others, routingMode: _mode, ...caller }: ChatOrder,
    signal: AbortSignal,
  ): Promise<TextAnswer<SwarmEnd<Report>>> {
    const { attempts, ...stream } = await this.start(caller, body, signal);
    return { ...stream, attempts: stream.rig === null ? [] : callsOf(attempts) };
  }

  protected override endOf({ usage, entry, cut, finishReason, report }: SwarmEnd<Report>): TextEnd {
    return { usage, entry, cut, finishReason: cut ? null : finishReason, ...this.shown(report) };
  }
}

/** Their times are not known here: they took place inside the work. */
const callsOf = (attempts: number): readonly RigCall[] =>
  Array.from({ length: attempts }, () => ({ startedMs: 0, endedMs: 0 }));
