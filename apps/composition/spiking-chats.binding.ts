import { type ChatOrder } from '#areas/inference/chat-admission.js';
import {
  ChatStrategies,
  type ChatReply,
  type ChatStrategy,
  type ChatStream,
} from '#areas/inference/chat-strategies.js';
import { type InferenceErrorCode } from '#areas/inference/inference.errors.js';
import { type ModelCatalog } from '#areas/inference/ports.js';
import { type Usage } from '#areas/inference/rigs/chat-backend.js';
import { usageObject } from '#areas/inference/rigs/openai-usage.js';
import { type StreamReceipt } from '#areas/inference/stream-meter.js';
import { type SpikingChatAnswer, type SpikingChats } from '#areas/spiking/spiking-chats.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { chatHead, includesUsage } from './chat-shapes.js';
import { promptOf } from './spiking-prompt.js';

/** Chats that a spiking network answers, in the shape of OpenAI. */
export class SpikingChatStrategies extends ChatStrategies implements ChatStrategy {
  /** @param chats absent in a process without the area */
  constructor(
    private readonly catalog: Pick<ModelCatalog, 'model'>,
    private readonly chats: SpikingChats | undefined,
  ) {
    super();
  }

  override of({ body: { model }, routingMode }: ChatOrder): ChatStrategy | undefined {
    // Most chats end here: a model of the catalog, and no mode.
    if (routingMode === 'auto' && this.catalog.model(model)) return undefined;
    return this.chats?.serves(model, routingMode) === true ? this : undefined;
  }

  async complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const found = await this.#answer(order, signal);
    const usage = usageOf(found);
    const text = JSON.stringify({
      ...envelope(order, found, 'chat.completion'),
      choices: [
        { index: 0, message: { role: 'assistant', content: found.text }, finish_reason: 'stop' },
      ],
      usage: usageObject(usage),
    });
    const { entry, pace } = found.answer;
    return { text, usage, rig: null, attempts: [], entry, ...(pace && { pace }) };
  }

  /** A run has no pieces: its text is one chunk, after the charge. */
  async stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const found = await this.#answer(order, signal);
    const usage = usageOf(found);
    const { entry, pace } = found.answer;
    const receipt = { usage, entry, cut: null };
    return {
      rig: null,
      attempts: [],
      ...(pace && { pace }),
      pages: pagesOf(order, found, receipt),
    };
  }

  #answer(order: ChatOrder, signal: AbortSignal): Promise<SpikingChatAnswer> {
    const { body, routingMode, accountId, receivedAtMs, context, confirm } = order;
    const { chats } = this;
    if (!chats) throw new Error('this process has no spiking networks');
    const { slugs } = chats;
    if (!slugs.includes(body.model) && !this.catalog.model(body.model)) {
      throw unknown(body.model, slugs);
    }
    const prompt = promptOf(body);
    const timesteps = timestepsOf(body);
    const asked = { accountId, receivedAtMs, context, routingMode, prompt, timesteps };
    return chats.answer({ ...asked, model: body.model, ...(confirm && { confirm }) }, signal);
  }
}

/** The schema of a chat gives every body its timesteps. */
const timestepsOf = ({ timesteps }: ChatOrder['body']): number => {
  if (typeof timesteps === 'number') return timesteps;
  throw new Error('a chat without timesteps');
};

/** `model` is the network that answered, which a routing mode may have chosen. */
const envelope = (
  order: ChatOrder,
  { answer: { card, run } }: SpikingChatAnswer,
  object: 'chat.completion' | 'chat.completion.chunk',
) => ({
  ...chatHead(order, object, card.slug),
  system_fingerprint: `spiking@${run.weightsSha256.slice(0, 16)}`,
});

/** Bytes of UTF-8: networks have no tokens, and are not charged by them. */
const usageOf = ({ promptBytes, textBytes }: SpikingChatAnswer): Usage => ({
  promptTokens: promptBytes,
  completionTokens: textBytes,
  source: 'counted',
});

async function* pagesOf(
  order: ChatOrder,
  found: SpikingChatAnswer,
  receipt: StreamReceipt,
): AsyncGenerator<readonly string[], StreamReceipt, void> {
  const head = envelope(order, found, 'chat.completion.chunk');
  const chunk = (delta: object, finish_reason: string | null): string =>
    JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  yield await Promise.resolve([
    chunk({ role: 'assistant', content: '' }, null),
    chunk({ content: found.text }, null),
    chunk({}, 'stop'),
  ]);
  if (includesUsage(order.body)) {
    const usage = usageObject(receipt.usage);
    yield [JSON.stringify({ ...head, choices: [], usage })];
  }
  return receipt;
}

const unknown = (model: string, slugs: readonly string[]): DomainError =>
  new DomainError<InferenceErrorCode>(
    'model_not_found',
    `the model ${model} is neither in the catalog (GET /v1/models) nor one of the spiking ` +
      `networks ${slugs.join(', ')}`,
  );
