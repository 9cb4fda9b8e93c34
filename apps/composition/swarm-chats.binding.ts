import { type ChatOrder } from '#areas/inference/chat-admission.js';
import {
  ChatStrategies,
  type ChatReply,
  type ChatStrategy,
  type ChatStream,
} from '#areas/inference/chat-strategies.js';
import { type Attempt } from '#areas/inference/rigs/route-error.js';
import { type StreamReceipt } from '#areas/inference/stream-meter.js';
import { usageObject } from '#areas/inference/rigs/openai-usage.js';
import { type ConsensusChats } from '#areas/swarm/consensus/consensus-chats.js';
import { consensusAskedOf } from '#areas/swarm/consensus/consensus-asked.js';
import { consensusTelemetryOf, costTreeHeader } from '#areas/swarm/consensus/consensus-report.js';
import { speculativeAskedOf } from '#areas/swarm/speculative/speculative-asked.js';
import { type SpeculativeChats } from '#areas/swarm/speculative/speculative-chats.js';
import { telemetryOf } from '#areas/swarm/speculative/speculative-report.js';
import { type SwarmStream, wholeAnswer } from '#areas/swarm/swarm-stream.js';
import { chatHead, includesUsage } from './chat-shapes.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** How a mode begins an answer, and what it adds to it. */
interface Mode<Report> {
  begin(order: ChatOrder, signal: AbortSignal): Promise<SwarmStream<Report>>;
  telemetry(report: Report): JsonObject;
  headers(report: Report): Readonly<Record<string, string>>;
}

/** Chats that language models answer together, in the shape of OpenAI. */
export class SwarmChatStrategies extends ChatStrategies {
  readonly #modes: ReadonlyMap<string, ChatStrategy>;

  constructor(speculative: SpeculativeChats, consensus: ConsensusChats) {
    super();
    this.#modes = new Map<string, ChatStrategy>([
      [
        'vllm_speculative',
        new SwarmChatStrategy({
          begin: (order, signal) =>
            speculative.begin({ ...callerOf(order), ...speculativeAskedOf(order.body) }, signal),
          telemetry: (report) => ({ speculative_telemetry: telemetryOf(report) }),
          headers: () => ({}),
        }),
      ],
      [
        'moa_consensus',
        new SwarmChatStrategy({
          begin: (order, signal) =>
            consensus.begin({ ...callerOf(order), ...consensusAskedOf(order.body) }, signal),
          telemetry: (report) => ({ moa_telemetry: consensusTelemetryOf(report) }),
          headers: costTreeHeader,
        }),
      ],
    ]);
  }

  override of({ routingMode }: ChatOrder): ChatStrategy | undefined {
    return this.#modes.get(routingMode);
  }
}

const callerOf = ({ accountId, receivedAtMs, context, confirm }: ChatOrder) => ({
  accountId,
  receivedAtMs,
  context,
  ...(confirm && { confirm }),
});

class SwarmChatStrategy<Report> implements ChatStrategy {
  constructor(private readonly mode: Mode<Report>) {}

  async complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const stream = await this.mode.begin(order, signal);
    const { text: content, usage, finishReason, entry, report } = await wholeAnswer(stream);
    const message = { role: 'assistant', content, refusal: null };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
    const text = JSON.stringify({
      ...chatHead(order, 'chat.completion'),
      choices: [choice],
      usage: usageObject(usage),
      ...this.mode.telemetry(report),
    });
    const { rig, pace } = stream;
    return {
      text,
      usage,
      rig,
      entry,
      attempts: attemptsOf(stream),
      headers: this.mode.headers(report),
      ...(pace && { pace }),
    };
  }

  async stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const stream = await this.mode.begin(order, signal);
    const { rig, pace } = stream;
    const pages = this.#pages(order, stream);
    // Started, so that its `finally` ends the hold even if no page is read.
    await pages.next();
    return { rig, pages, attempts: attemptsOf(stream), ...(pace && { pace }) };
  }

  /** The first page is empty. The telemetry is in the last chunk, after the charge. */
  async *#pages(
    order: ChatOrder,
    { texts }: SwarmStream<Report>,
  ): AsyncGenerator<readonly string[], StreamReceipt, void> {
    const head = chatHead(order, 'chat.completion.chunk');
    const chunk = (delta: JsonObject, finish_reason: string | null, more: JsonObject = {}) =>
      JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }], ...more });
    try {
      yield [];
      yield [chunk({ role: 'assistant', content: '' }, null)];
      let next = await texts.next();
      for (; !next.done; next = await texts.next()) yield [chunk({ content: next.value }, null)];
      const { usage, entry, cut, finishReason, report } = next.value;
      if (!cut) {
        yield [chunk({}, finishReason, this.mode.telemetry(report))];
        if (includesUsage(order.body)) {
          yield [JSON.stringify({ ...head, choices: [], usage: usageObject(usage) })];
        }
      }
      return { usage, entry, cut };
    } finally {
      await texts[Symbol.asyncDispose]();
    }
  }
}

/** Their times are not known here: they took place inside the work. */
const attemptsOf = ({ rig, attempts }: SwarmStream<unknown>): readonly Attempt[] =>
  rig === null
    ? []
    : Array.from({ length: attempts }, () => ({
        rig,
        startedMs: 0,
        endedMs: 0,
        outcome: 'answered' as const,
      }));
