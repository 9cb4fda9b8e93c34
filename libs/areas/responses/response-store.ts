import { Inject, Injectable } from '@nestjs/common';
import {
  type ResponseEvent,
  responseEvents,
  ResponseId,
  type ResponseStored,
} from '#events/responses/response.events.js';
import { type UserId } from '#events/vocabulary.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CommandRunner } from '#platform/runtime/command-runner.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type ResponseCommand, responseDecider, type ResponseState } from './response.decider.js';
import { notFound, reject } from './responses.errors.js';
import { RESPONSE_PREFIX } from './response-id.js';
import { RESPONSE_SETTINGS, type ResponseSettings } from './responses.settings.js';

/** What is kept of a response, as JSON: its input items, and the object that was answered. */
export interface ResponseContent {
  readonly input: readonly object[];
  readonly response: { readonly output: readonly object[] };
}

/** A response and those that it continues. */
export interface Conversation {
  readonly last: ResponseStored['data'];
  /** From the first response to the last. */
  readonly contents: readonly ResponseContent[];
}

export interface NewResponse {
  readonly responseId: string;
  readonly accountId: string;
  readonly userId: UserId;
  /** What it continues. */
  readonly previous: ResponseStored['data'] | null;
  readonly content: ResponseContent;
}

/** The responses of a conversation: each costs a read of the log and of a blob. */
export const DEPTH_MAX = 64;
/** The input and output of a conversation, as JSON. */
export const CONVERSATION_BYTES_MAX = 16 * 1_024 ** 2;

/** Responses as events, and their content as blobs that are sealed with the key of their user. */
@Injectable()
export class ResponseStore {
  readonly #runner: CommandRunner<ResponseCommand, ResponseState, ResponseEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(RESPONSE_SETTINGS) private readonly settings: ResponseSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = responseDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(responseEvents) });
  }

  /** Retains the content last: until then, and for a day, a sweep keeps it without a reference. */
  async store(
    { responseId, accountId, userId, previous, content }: NewResponse,
    context: CommandContext,
  ): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(content));
    const blob = await this.blobs.put(piecesOf(bytes), {
      owner: subjectOf(userId),
      bytesMax: bytes.byteLength,
    });
    const createdAtMs = this.clock.now();
    const data: ResponseStored['data'] = {
      responseId,
      accountId,
      userId,
      blob: blob.address,
      createdAt: new Date(createdAtMs).toISOString(),
      previousResponseId: previous?.responseId ?? null,
      depth: (previous?.depth ?? 0) + 1,
      bytes: bytes.byteLength,
      conversationBytes: (previous?.conversationBytes ?? 0) + bytes.byteLength,
      expiresAt: new Date(createdAtMs + this.settings.retentionMs).toISOString(),
    };
    await this.#runner.run(streamOf(responseId), { type: 'StoreResponse', data }, context);
    await this.blobs.retain(blobOf(data), holderOf(responseId));
  }

  /** @throws DomainError `response_not_found`, also for the response of another account */
  async find(responseId: string, accountId: string): Promise<ResponseContent> {
    const found = await this.#stored(responseId, accountId);
    const content = found && (await this.#contentOf(found));
    return content ?? notFound(responseId);
  }

  /**
   * The conversation that a new response continues.
   * @throws DomainError `previous_response_not_found` where a response of it is missing, deleted or
   *   of another account; `conversation_too_long` where it takes no further response
   */
  async conversation(responseId: string, accountId: string): Promise<Conversation> {
    const last = (await this.#stored(responseId, accountId)) ?? missing(responseId);
    if (last.depth >= DEPTH_MAX) {
      const detail = `a conversation has at most ${DEPTH_MAX} responses; send its items as input`;
      return reject('conversation_too_long', detail);
    }
    if (last.conversationBytes > CONVERSATION_BYTES_MAX) {
      const detail = `the conversation has more than ${CONVERSATION_BYTES_MAX} bytes`;
      return reject('conversation_too_long', detail);
    }
    const contents: ResponseContent[] = [];
    let at: ResponseStored['data'] | null = last;
    while (at) {
      contents.push((await this.#contentOf(at)) ?? missing(at.responseId));
      const { previousResponseId: id }: ResponseStored['data'] = at;
      at = id === null ? null : ((await this.#stored(id, accountId)) ?? missing(id));
    }
    return { last, contents: contents.reverse() };
  }

  /** @throws DomainError `response_not_found`, also for the response of another account */
  async delete(responseId: string, accountId: string, context: CommandContext): Promise<void> {
    if (!ResponseId.safeParse(responseId).success) return notFound(responseId);
    const data = { responseId, accountId, deletedAt: instant(this.clock) };
    await this.#runner.run(streamOf(responseId), { type: 'DeleteResponse', data }, context);
    await this.releaseContent(responseId);
  }

  async expire(responseId: string, context: CommandContext): Promise<void> {
    const data = { responseId, expiredAt: instant(this.clock) };
    await this.#runner.run(streamOf(responseId), { type: 'ExpireResponse', data }, context);
  }

  /** For a response that was stored before a crash, and whose content was not retained. */
  async retainContent(responseId: string): Promise<void> {
    const { state } = await this.#runner.stateOf(streamOf(responseId));
    if (state.status !== 'present') return;
    await this.blobs.retain(blobOf(state.response), holderOf(responseId));
  }

  async releaseContent(responseId: string): Promise<void> {
    const { state } = await this.#runner.stateOf(streamOf(responseId));
    if (state.status !== 'deleted') return;
    await this.blobs.release(blobOf(state.response), holderOf(responseId));
  }

  /** The timer of an expired response may be late. */
  async #stored(responseId: string, accountId: string): Promise<ResponseStored['data'] | null> {
    if (!ResponseId.safeParse(responseId).success) return null;
    const { state } = await this.#runner.stateOf(streamOf(responseId));
    if (state.status !== 'present' || state.response.accountId !== accountId) return null;
    return Date.parse(state.response.expiresAt) <= this.clock.now() ? null : state.response;
  }

  /** Null once the user was erased. */
  async #contentOf(response: ResponseStored['data']): Promise<ResponseContent | null> {
    try {
      const { content } = await this.blobs.open(blobOf(response));
      const pieces = await Array.fromAsync(content);
      return JSON.parse(Buffer.concat(pieces).toString()) as ResponseContent;
    } catch (error) {
      if (error instanceof BlobError && error.code === 'blob-erased') return null;
      throw error;
    }
  }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

const missing = (responseId: string): never =>
  reject('previous_response_not_found', `there is no response ${responseId} to continue`);

/** The subject of the key of a user, as the identity area erases it. */
const subjectOf = (userId: number): string => `user:${userId}`;

const blobOf = ({ userId, blob }: ResponseStored['data']): BlobRef => ({
  address: blob,
  owner: subjectOf(userId),
});

const holderOf = (responseId: string): string => `response:${responseId}`;

/** The part of a stream's name before the dash is its category. */
const streamOf = (responseId: string): string =>
  `response-${responseId.slice(RESPONSE_PREFIX.length)}`;
