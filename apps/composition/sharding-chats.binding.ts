import { type ChatOrder } from '#areas/inference/chat-admission.js';
import {
  type ChatReply,
  ChatStrategies,
  type ChatStrategy,
  type ChatStream,
} from '#areas/inference/chat-strategies.js';
import { type Usage } from '#areas/inference/rigs/chat-backend.js';
import { usageObject } from '#areas/inference/rigs/openai-usage.js';
import { type StreamReceipt } from '#areas/inference/stream-meter.js';
import { type PipelineReceipt, type PipelineRuns } from '#areas/sharding/pipeline-runs.js';
import { chatHead, includesUsage } from './chat-shapes.js';
import { pipelineOrderOf } from './sharding-request.js';

const MODE = 'sharded_pipeline';

/** Chats that a sharded pipeline answers, in the shape of OpenAI. */
export class ShardingChatStrategies extends ChatStrategies implements ChatStrategy {
  /** @param runs absent in a process without the area */
  constructor(private readonly runs: Pick<PipelineRuns, 'start'> | undefined) {
    super();
  }

  override of({ routingMode }: ChatOrder): ChatStrategy | undefined {
    return routingMode === MODE && this.runs ? this : undefined;
  }

  async complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const { texts, pace } = await this.#start(order, signal, 'whole');
    let content = '';
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) content += next.value;
    const { end, entry, cut } = next.value;
    if (cut) throw cut;
    if (!end || !entry) throw new Error('an answer without an end or a charge');
    const usage = usageOf(next.value);
    const message = { role: 'assistant', content };
    const text = JSON.stringify({
      ...chatHead(order, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: end.finishReason }],
      usage: usageObject(usage),
    });
    return { text, usage, rig: null, attempts: [], entry, ...(pace && { pace }) };
  }

  async stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const { texts, pace } = await this.#start(order, signal, 'in-pieces');
    const pages = pagesOf(order, texts);
    // Started, so that its end ends the hold even if no page is read.
    await pages.next();
    return { rig: null, attempts: [], pages, ...(pace && { pace }) };
  }

  #start(order: ChatOrder, signal: AbortSignal, delivery: 'in-pieces' | 'whole') {
    if (!this.runs) throw new Error('this process has no pipelines');
    return this.runs.start(pipelineOrderOf(order), signal, delivery);
  }
}

const usageOf = ({ used: { promptTokens, completionTokens } }: PipelineReceipt): Usage => ({
  promptTokens,
  completionTokens,
  source: 'counted',
});

/** The first page is empty and available at once. */
async function* pagesOf(
  order: ChatOrder,
  texts: AsyncGenerator<string, PipelineReceipt, void>,
): AsyncGenerator<readonly string[], StreamReceipt, void> {
  const isUsageAsked = includesUsage(order.body);
  const head = {
    ...chatHead(order, 'chat.completion.chunk'),
    // With `include_usage`, the field is in every chunk and null until the last.
    ...(isUsageAsked && { usage: null }),
  };
  const chunk = (delta: object, finish_reason: string | null): string =>
    JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  try {
    yield [];
    yield [chunk({ role: 'assistant', content: '' }, null)];
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) yield [chunk({ content: next.value }, null)];
    const { end, entry, cut } = next.value;
    const usage = usageOf(next.value);
    if (end) {
      const last = [chunk({}, end.finishReason)];
      if (isUsageAsked)
        last.push(JSON.stringify({ ...head, choices: [], usage: usageObject(usage) }));
      yield last;
    }
    return { usage, entry, cut };
  } finally {
    await texts[Symbol.asyncDispose]();
  }
}
