import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { StreamChatHandler } from '#areas/inference/stream-chat.handler.js';
import { KEEP_ALIVE_MS } from '#areas/streams/streams.settings.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { type ChatStream, type StreamReceipt } from '#platform/chats/chat-strategy.js';
import { type StreamKeeper } from '#platform/kept-streams/stream-keeper.js';
import { type ConnectedRequest } from '../../operations/open-requests.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { type AnswerWriter, comment, SSE_HEADERS, SseWriter } from '../sse/sse.js';
import { ResumableStreams } from '../streams/resumable-streams.js';
import { ResumableWriter } from '../streams/resumable-writer.js';
import { RESUMABLE_HEADER } from '../streams/resumption.js';
import { chatFormat, formatFor, type StreamFormat } from './answer-format.js';
import { ChatHeads } from './chat-heads.js';
import { ChatOutcomes } from './chat-outcomes.js';
import { type Chat, chargedOf, followingChat } from './chat.js';
import { costHeaders, routeHeaders } from './chat.headers.js';

/** Keeps streams that can be resumed. */
type StreamKeeping = Pick<ResumableStreams, 'keep' | 'graceMs'>;

/** Answers chats as streams. */
@Injectable()
export class StreamedChats {
  constructor(
    private readonly streams: StreamChatHandler,
    private readonly heads: ChatHeads,
    private readonly outcomes: ChatOutcomes,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
    @Inject(ResumableStreams) private readonly resumable: StreamKeeping,
  ) {}

  /** @throws the error of an answer that did not begin */
  async answer(
    chat: Chat,
    reply: FastifyReply,
    open: ConnectedRequest,
    tap: AnswerTap | undefined,
  ): Promise<AnswerEnd> {
    const stream = await this.streams.execute(chat.order, open.signal);
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
    this.outcomes.began(chat);
    const headers = { ...routeHeaders(chat.startedAt, stream), ...stream.headers, ...SSE_HEADERS };
    tap?.head(headers);
    const keeper =
      chat.requestHash === undefined ? undefined : await this.#keeper(chat, chat.requestHash);
    const kept = keeper && { [RESUMABLE_HEADER]: String(keeper.isKept) };
    this.heads.write(chat, reply, [headers, kept], stream.pace);
    const writer = this.#writer(chat, keeper, reply, open, tap);
    const end = await this.#pump(chat, stream, writer, { reply, signal: open.signal });
    await writer.end();
    return end;
  }

  #keeper(
    { caller, order, format: { form } = chatFormat }: Chat,
    requestHash: string,
  ): Promise<StreamKeeper> {
    const { requestId } = order.context;
    return this.resumable.keep({ caller, requestId, requestHash, form });
  }

  #writer(
    { order }: Chat,
    keeper: StreamKeeper | undefined,
    { raw: response }: FastifyReply,
    open: ConnectedRequest,
    tap: AnswerTap | undefined,
  ): AnswerWriter {
    const record = tap && ((text: string): void => tap.text(text));
    const writer = new SseWriter(response, this.keepAliveMs, open.signal, record);
    if (keeper?.isKept !== true) return writer;
    open.outlive();
    const { graceMs } = this.resumable;
    const abandon = (): void => open.cut('client_gone');
    const streamId = order.context.requestId;
    return new ResumableWriter({ streamId, response, keeper, graceMs, abandon }, writer);
  }

  /** Reads the stream to its end also after the caller has left, since the end is charged. */
  async #pump(
    chat: Chat,
    first: ChatStream,
    writer: AnswerWriter,
    { reply, signal }: { readonly reply: FastifyReply; readonly signal: AbortSignal },
  ): Promise<AnswerEnd> {
    const written = formatFor(chat.format, first).stream();
    let stream = first;
    const fail = async (error: unknown): Promise<void> =>
      writer.write(written.failed(this.outcomes.broken(chat, stream.rig, reply, error)));
    try {
      const begin = written.begin();
      if (begin !== '') await writer.write(begin);
      for (let n = 1; ; n += 1) {
        const { usage, entry, cut } = await readPages(stream, written, writer);
        if (entry) {
          this.outcomes.charged(chat, stream.rig, usage, entry);
          const headers = Object.entries(costHeaders(entry));
          await writer.write(comment(headers.map(([name, value]) => `${name}=${value}`).join(' ')));
        }
        if (cut) {
          await fail(cut);
          return 'cut';
        }
        const charged = chargedOf(usage, stream.bound);
        const following = await follow(written, charged, writer, signal);
        if (following) {
          stream = await this.streams.execute(followingChat(chat, following, n), signal);
          continue;
        }
        const last = await written.end(charged);
        this.outcomes.ended(chat);
        await writer.write(last);
        return 'whole';
      }
    } catch (error) {
      await fail(error);
      return this.outcomes.endOf(error);
    }
  }
}

/** Reads to the end, or ends the hold of the stream. */
const readPages = async (
  { pages }: ChatStream,
  written: StreamFormat,
  writer: AnswerWriter,
): Promise<StreamReceipt> => {
  try {
    for (;;) {
      const page = await pages.next();
      if (page.done) return page.value;
      await writer.write(written.page(page.value));
    }
  } finally {
    await pages[Symbol.asyncDispose]();
  }
};

/** Writes the work after a chat. */
const follow = async (
  written: StreamFormat,
  usage: Usage,
  writer: AnswerWriter,
  signal: AbortSignal,
): Promise<ChatBody | null> => {
  const following = written.follow?.(usage, signal);
  if (!following) return null;
  for (;;) {
    const next = await following.next();
    if (next.done) return next.value;
    if (next.value !== '') await writer.write(next.value);
  }
};
