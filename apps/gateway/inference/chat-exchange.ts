import { type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { ChargedCutError } from '#areas/inference/charged-cut.error.js';
import { CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';
import { KEEP_ALIVE_MS } from '#areas/streams/streams.settings.js';
import { type ChatReply, type ChatStream } from '#platform/chats/chat-strategy.js';
import { StreamChatHandler } from '#areas/inference/stream-chat.handler.js';
import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type StreamKeeper } from '#platform/kept-streams/stream-keeper.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { type ConnectedRequest, OpenRequests } from '../../operations/open-requests.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { type AnswerWriter, comment, SSE_HEADERS, SseWriter } from '../sse/sse.js';
import { ResumableStreams } from '../streams/resumable-streams.js';
import { ResumableWriter } from '../streams/resumable-writer.js';
import { RESUMABLE_HEADER } from '../streams/resumption.js';
import { type AnswerFormat, chatFormat } from './answer-format.js';
import { costHeaders, routeHeaders } from './chat.headers.js';
import { ChatMetrics } from './chat.metrics.js';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface Chat {
  readonly body: ChatBody;
  readonly caller: Caller;
  /** A UUID. */
  readonly requestId: string;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** By the clock, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** The attempt with an `Idempotency-Key`: as in `ChatOrder`. */
  readonly confirm?: () => Promise<boolean>;
  /** As in `ChatOrder`. */
  readonly others?: readonly ChatBody[];
  /** Of a request that asks for a stream that can be resumed: as `ResumableStreams` gave it. */
  readonly requestHash?: string;
  /** As in `ChatOrder`. */
  readonly cacheSeconds?: number;
  /** Default: a chat of OpenAI. */
  readonly format?: AnswerFormat;
}

type StreamKeeping = Pick<ResumableStreams, 'keep' | 'graceMs'>;

/** Translates one chat between HTTP and its handlers. */
@Injectable()
export class ChatExchange {
  constructor(
    private readonly chats: CompleteChatHandler,
    private readonly streams: StreamChatHandler,
    private readonly requests: OpenRequests,
    private readonly metrics: ChatMetrics,
    private readonly failures: Failures,
    private readonly failureLog: FailureLog,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
    private readonly requestRates: RequestRates,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ResumableStreams) private readonly resumable: StreamKeeping,
  ) {}

  /** Resolves after the answer and its charge. @throws the error of an answer that did not begin */
  async answer(chat: Chat, reply: FastifyReply, tap?: AnswerTap): Promise<AnswerEnd> {
    try {
      return await this.requests.whileConnected(reply.raw, this.limits.requestMsMax, (open) =>
        chat.body.stream
          ? this.#stream(chat, reply, open, tap)
          : this.#complete(chat, reply, open, tap),
      );
    } catch (error) {
      if (error instanceof ChargedCutError) {
        this.#charged(chat, error.rig, error.usage, error.entry);
      }
      this.#ended(chat, this.failures.of(error).code);
      throw error;
    }
  }

  async #complete(
    chat: Chat,
    reply: FastifyReply,
    { signal }: ConnectedRequest,
    tap: AnswerTap | undefined,
  ): Promise<AnswerEnd> {
    const answer = await this.chats.execute(orderOf(chat), signal);
    const { rig, attempts, usage, bound, entry, pace } = answer;
    const headers = {
      ...routeHeaders(chat.startedAt, { rig, attempts }),
      ...costHeaders(entry),
      ...answer.headers,
      'content-type': JSON_TYPE,
    };
    this.#charged(chat, rig, usage, entry);
    const { format = chatFormat } = chat;
    const text = await format.whole({ text: answer.text, usage: chargedOf(usage, bound) });
    tap?.head(headers);
    tap?.text(text);
    this.#ended(chat, '');
    const length = { 'content-length': Buffer.byteLength(text) };
    writeHead(reply, { ...headers, ...length, ...this.#rates(chat, pace) }).end(text);
    return 'whole';
  }

  async #stream(
    chat: Chat,
    reply: FastifyReply,
    open: ConnectedRequest,
    tap: AnswerTap | undefined,
  ): Promise<AnswerEnd> {
    const stream = await this.streams.execute(orderOf(chat), open.signal);
    try {
      return await this.#write(chat, stream, reply, open, tap);
    } finally {
      // Ends the hold if an error occurred before the end of the stream.
      await stream.pages[Symbol.asyncDispose]();
    }
  }

  async #write(
    chat: Chat,
    stream: ChatStream,
    reply: FastifyReply,
    open: ConnectedRequest,
    tap: AnswerTap | undefined,
  ): Promise<AnswerEnd> {
    const { model } = chat.body;
    this.metrics.firstPage(model, (performance.now() - chat.startedAt) / 1e3);
    const headers = { ...routeHeaders(chat.startedAt, stream), ...stream.headers, ...SSE_HEADERS };
    tap?.head(headers);
    const keeper = await this.#keeper(chat);
    writeHead(reply, {
      ...headers,
      ...this.#rates(chat, stream.pace),
      ...(keeper && { [RESUMABLE_HEADER]: String(keeper.isKept) }),
    });
    const writer = this.#writer(chat, keeper, reply, open, tap);
    const end = await this.#pump(chat, stream, writer, reply);
    await writer.end();
    return end;
  }

  /** Undefined for a stream that is not to be kept. */
  async #keeper(chat: Chat): Promise<StreamKeeper | undefined> {
    const { requestHash, format: { form } = chatFormat } = chat;
    return requestHash === undefined
      ? undefined
      : this.resumable.keep({ ...chat, requestHash, form });
  }

  #writer(
    { requestId: streamId }: Chat,
    keeper: StreamKeeper | undefined,
    { raw: response }: FastifyReply,
    { signal, cut, outlive }: ConnectedRequest,
    tap: AnswerTap | undefined,
  ): AnswerWriter {
    const record = tap && ((text: string): void => tap.text(text));
    const writer = new SseWriter(response, this.keepAliveMs, signal, record);
    if (keeper?.isKept !== true) return writer;
    outlive();
    const { graceMs } = this.resumable;
    const abandon = (): void => cut('client_gone');
    return new ResumableWriter({ streamId, response, keeper, graceMs, abandon }, writer);
  }

  /** Reads the stream to its end even without a caller, since the end is charged. */
  async #pump(
    chat: Chat,
    stream: ChatStream,
    writer: AnswerWriter,
    reply: FastifyReply,
  ): Promise<AnswerEnd> {
    const { format = chatFormat } = chat;
    const written = format.stream();
    const fail = async (error: unknown): Promise<void> => {
      const { rig } = stream;
      const failure = { ...this.failures.of(error), ...(rig !== null && { rig }) };
      this.failureLog.write({ request: reply.request, reply, failure, error });
      this.#ended(chat, failure.code);
      await writer.write(written.failed(failure));
    };
    try {
      const begin = written.begin();
      if (begin !== '') await writer.write(begin);
      for (;;) {
        const page = await stream.pages.next();
        if (!page.done) {
          await writer.write(written.page(page.value));
          continue;
        }
        const { usage, entry, cut } = page.value;
        if (entry) {
          this.#charged(chat, stream.rig, usage, entry);
          const headers = Object.entries(costHeaders(entry));
          await writer.write(comment(headers.map(([name, value]) => `${name}=${value}`).join(' ')));
        }
        if (cut) {
          await fail(cut);
          return 'cut';
        }
        const last = await written.end(chargedOf(usage, stream.bound));
        this.#ended(chat, '');
        await writer.write(last);
        return 'whole';
      }
    } catch (error) {
      await fail(error);
      return this.failures.isChargeKnown(error) ? 'cut' : 'in-doubt';
    }
  }

  /** Of now: a stored answer that is sent again does not have them. */
  #rates({ caller }: Chat, pace: HoldPace | undefined): Record<string, string> {
    return rateLimitHeaders(this.requestRates.rateOf(caller), pace, this.clock.now());
  }

  #charged({ body: { model } }: Chat, rig: string | null, usage: Usage, entry: LedgerEntry): void {
    this.metrics.chatCharged({ model, rig, usage, chargedMicroUsd: entry.chargedMicroUsd });
  }

  /** @param error the error code, or empty */
  #ended({ body: { model }, startedAt }: Chat, error: string): void {
    this.metrics.chatEnded(model, (performance.now() - startedAt) / 1e3, error);
  }
}

/**
 * Writes the headers past Fastify, which has nothing to add to an answer that is bytes already.
 * @param headers besides those that hooks have set
 */
const writeHead = (reply: FastifyReply, headers: OutgoingHttpHeaders): ServerResponse => {
  reply.hijack();
  const earlier = reply.getHeaders() as Record<string, string>;
  return reply.raw.writeHead(200, { ...earlier, ...headers });
};

/**
 * What a rig states above the bound is not charged, and other interfaces do not show it. Its
 * classes are then on the bill only.
 */
const chargedOf = (usage: Usage, bound: ChatReply['bound']): Usage => {
  const { promptTokens, completionTokens, source } = usage;
  const { inputTokens = promptTokens, outputTokens = completionTokens } = bound ?? {};
  if (promptTokens <= inputTokens && completionTokens <= outputTokens) return usage;
  return {
    promptTokens: Math.min(promptTokens, inputTokens),
    completionTokens: Math.min(completionTokens, outputTokens),
    source,
  };
};

const orderOf = (chat: Chat): ChatOrder => ({
  accountId: chat.caller.accountId,
  receivedAtMs: chat.receivedAtMs,
  body: chat.body,
  routingMode: chat.body.routing_mode,
  context: contextOf(chat.requestId, `user:${chat.caller.userId}`, chat.caller.credential.keyId),
  ...(chat.confirm && { confirm: chat.confirm }),
  ...(chat.others && { others: chat.others }),
  ...(chat.cacheSeconds !== undefined && { cacheSeconds: chat.cacheSeconds }),
});
