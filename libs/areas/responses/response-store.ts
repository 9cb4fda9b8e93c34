import { Inject, Injectable } from '@nestjs/common';
import { type ResponseQueued, type ResponseStored } from '#events/responses/response.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ResponseBlobs, type ResponseContent } from './response-blobs.js';
import { ResponseStreams } from './response-streams.js';
import { type ResponseState } from './response.decider.js';
import { notFound, reject } from './responses.errors.js';
import { RESPONSE_SETTINGS, type ResponseSettings } from './responses.settings.js';

/** The last response of a conversation, as far as the next one must know it. */
export type Continued = Pick<ResponseStored['data'], 'responseId' | 'depth' | 'conversationBytes'>;

/** A response and the responses that it continues. */
export interface Conversation {
  readonly last: ResponseStored['data'];
  /** From the first response to the last. */
  readonly contents: readonly ResponseContent[];
}

export interface NewResponse {
  readonly responseId: string;
  readonly accountId: string;
  readonly userId: UserId;
  /** The response that it continues. */
  readonly previous: Continued | null;
  readonly content: ResponseContent;
  /** Default: now. */
  readonly createdAt?: string;
}

/** The responses of a conversation: each costs a read of the log and of a blob. */
export const DEPTH_MAX = 64;
/** The input and output of a conversation, as JSON. */
export const CONVERSATION_BYTES_MAX = 16 * 1_024 ** 2;

type Open = Extract<ResponseState, { readonly status: 'queued' | 'in_progress' }>;

/** Responses as events, and their content as blobs that are sealed with the key of their user. */
@Injectable()
export class ResponseStore {
  constructor(
    private readonly streams: ResponseStreams,
    private readonly blobs: ResponseBlobs,
    @Inject(RESPONSE_SETTINGS) private readonly settings: ResponseSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Retains the content last: until then, and for a day, a sweep keeps it without a reference. */
  async store(
    { responseId, accountId, userId, previous, content, createdAt }: NewResponse,
    context: CommandContext,
  ): Promise<void> {
    const { blob, bytes } = await this.blobs.put(userId, content);
    const nowMs = this.clock.now();
    const data: ResponseStored['data'] = {
      responseId,
      accountId,
      userId,
      blob,
      createdAt: createdAt ?? new Date(nowMs).toISOString(),
      previousResponseId: previous?.responseId ?? null,
      depth: (previous?.depth ?? 0) + 1,
      bytes,
      conversationBytes: (previous?.conversationBytes ?? 0) + bytes,
      expiresAt: new Date(nowMs + this.settings.retentionMs).toISOString(),
    };
    const { state } = await this.streams.run({ type: 'StoreResponse', data }, context);
    await this.#retain(state);
  }

  /** Records a response that a job answers. Once, however often it is called. */
  async queue(
    { responseId, accountId, userId, previous, content }: NewResponse,
    context: CommandContext,
  ): Promise<void> {
    const { blob } = await this.blobs.put(userId, content);
    const data: ResponseQueued['data'] = {
      responseId,
      accountId,
      userId,
      blob,
      createdAt: instant(this.clock),
      previousResponseId: previous?.responseId ?? null,
      depth: (previous?.depth ?? 0) + 1,
      bytesBefore: previous?.conversationBytes ?? 0,
    };
    const { state } = await this.streams.run({ type: 'QueueResponse', data }, context);
    await this.#retain(state);
  }

  /** @throws DomainError `response_not_found`, also for the response of another account */
  async find(responseId: string, accountId: string): Promise<ResponseContent> {
    const state = await this.streams.stateOf(responseId);
    const content =
      state.status === 'queued' || state.status === 'in_progress'
        ? await this.#open(state, accountId)
        : await this.#stored(state, accountId);
    return content ?? notFound(responseId);
  }

  /**
   * The conversation that a new response continues.
   * @throws DomainError `previous_response_not_found` where a response of it is missing, deleted or
   *   of another account; `previous_response_unfinished`; `conversation_too_long` where it takes no
   *   further response
   */
  async conversation(responseId: string, accountId: string): Promise<Conversation> {
    const last = await this.#continuable(responseId, accountId);
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
      const content = (await this.blobs.read(at)) ?? missing(at.responseId);
      demandAnswered(at.responseId, content);
      contents.push(content);
      const { previousResponseId: id }: ResponseStored['data'] = at;
      at = id === null ? null : await this.#continuable(id, accountId);
    }
    return { last, contents: contents.reverse() };
  }

  /** @throws DomainError `response_not_found`, `response_unfinished` */
  async delete(responseId: string, accountId: string, context: CommandContext): Promise<void> {
    if ((await this.streams.stateOf(responseId)).status === 'absent') return notFound(responseId);
    const data = { responseId, accountId, deletedAt: instant(this.clock) };
    await this.streams.run({ type: 'DeleteResponse', data }, context);
    await this.releaseContent(responseId);
  }

  async expire(responseId: string, context: CommandContext): Promise<void> {
    const data = { responseId, expiredAt: instant(this.clock) };
    await this.streams.run({ type: 'ExpireResponse', data }, context);
  }

  /** For a response that was stored before a crash, and whose content was not retained. */
  async retainContent(responseId: string): Promise<void> {
    await this.#retain(await this.streams.stateOf(responseId), 'keep');
  }

  async releaseContent(responseId: string): Promise<void> {
    const state = await this.streams.stateOf(responseId);
    if (state.status === 'deleted') await this.blobs.release(state.response);
  }

  /** The content of a stored response includes its input, so the queued input is released. */
  async #retain(state: ResponseState, how: 'retain' | 'keep' = 'retain'): Promise<void> {
    switch (state.status) {
      case 'absent':
      case 'deleted':
        return;
      case 'queued':
      case 'in_progress':
        return this.blobs[how](state.queued);
      case 'present':
        await this.blobs[how](state.response);
        if (state.queued) await this.blobs.release(state.queued);
    }
  }

  async #open({ status, queued }: Open, accountId: string): Promise<ResponseContent | null> {
    if (queued.accountId !== accountId) return null;
    const content = await this.blobs.read(queued);
    return content && { ...content, response: { ...content.response, status } };
  }

  async #stored(state: ResponseState, accountId: string): Promise<ResponseContent | null> {
    const response = this.#present(state, accountId);
    return response && this.blobs.read(response);
  }

  /** The timer of an expired response may be late. */
  #present(state: ResponseState, accountId: string): ResponseStored['data'] | null {
    if (state.status !== 'present' || state.response.accountId !== accountId) return null;
    return Date.parse(state.response.expiresAt) <= this.clock.now() ? null : state.response;
  }

  async #continuable(responseId: string, accountId: string): Promise<ResponseStored['data']> {
    const state = await this.streams.stateOf(responseId);
    const isOpen = state.status === 'queued' || state.status === 'in_progress';
    if (isOpen && state.queued.accountId === accountId) return unfinished(responseId, state.status);
    return this.#present(state, accountId) ?? missing(responseId);
  }
}

const demandAnswered = (responseId: string, { response: { status } }: ResponseContent): void => {
  if (status === 'failed' || status === 'cancelled') unfinished(responseId, status);
};

const unfinished = (responseId: string, status: string): never =>
  reject('previous_response_unfinished', `the response ${responseId} is ${status}`);

const missing = (responseId: string): never =>
  reject('previous_response_not_found', `there is no response ${responseId} to continue`);
