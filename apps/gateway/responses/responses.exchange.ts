import { type IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { responseIdOf } from '#areas/responses/response-id.js';
import { ResponseStore } from '#areas/responses/response-store.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { namedModelOf } from '../bodies/named-model.js';
import { callerFactsOf } from '../errors/failure-log.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { parseChatBody } from '#areas/inference/chat-body.js';
import { type Translation } from '../inference/translated-chats.js';
import { inputItemsOf } from '#areas/responses/translation/input-items.js';
import { type ResponseObject } from '#areas/responses/translation/response-object.js';
import { readResponseBody } from '#areas/responses/translation/response-body.js';
import { chatOf, keyOf } from '#areas/responses/translation/response-chat.js';
import { FileSearches } from './file-searches.js';
import { type AskedResponse } from './mcp-rounds.js';
import { ResponseMcpServers } from './mcp-servers.js';
import { originalResponseFormat, responseFormat } from './responses.format.js';
import { asksHostedTool, untranslatedChatOf } from './untranslated-response.js';

/** A request for a response. */
export interface ResponseRequest {
  readonly sent: unknown;
  /** The bytes of the same. */
  readonly sentBytes?: Buffer | undefined;
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly receivedAtMs: number;
  readonly attempt: RequestAttempt | undefined;
}

/** Translates a request for a response to a chat, and stores what is answered. */
@Injectable()
export class ResponsesExchange {
  constructor(
    private readonly responses: ResponseStore,
    private readonly searches: FileSearches,
    private readonly servers: ResponseMcpServers,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(RIGS) private readonly rigs: Pick<RigRouter, 'speaks'>,
  ) {}

  /** @throws RejectedRequestError 400 that names the field; DomainError of the area responses */
  async read({
    sent,
    caller,
    requestId,
  }: Pick<ResponseRequest, 'sent' | 'caller' | 'requestId'>): Promise<AskedResponse> {
    const body = readResponseBody(sent);
    const responseId = responseIdOf(requestId);
    const input = body.input === undefined ? [] : inputItemsOf(body.input, keyOf(responseId));
    const { previous_response_id: previous } = body;
    const before =
      previous == null ? null : await this.responses.conversation(previous, caller.accountId);
    return { responseId, body, input, before };
  }

  /**
   * A response that Quipu does not keep goes as it is to rigs that speak the dialect; if a chat
   * cannot express it, to such rigs only.
   * @throws the errors of `read`
   */
  async translate(asked: ResponseRequest): Promise<Translation> {
    const { sent, sentBytes: bytes } = asked;
    // Vector stores and MCP servers are registered here: a rig of another interface has none.
    const kept = asksHostedTool(sent) ? null : untranslatedChatOf(sent);
    const original = kept && bytes && ({ dialect: 'responses', bytes } as const);
    try {
      const translation = await this.#translate(asked);
      return original ? { ...translation, original } : translation;
    } catch (error) {
      if (!original || !(error instanceof RejectedRequestError)) throw error;
      if (!this.rigs.speaks(kept.model, 'responses')) throw error;
      const untranslated = error.failure.param ?? 'input';
      const format = originalResponseFormat(responseIdOf(asked.requestId));
      return { body: kept, original: { ...original, untranslated }, format };
    }
  }

  async #translate(asked: ResponseRequest): Promise<Translation> {
    const { receivedAtMs } = asked;
    const request = await this.read(asked);
    const { responseId, body, input, before } = request;
    const key = keyOf(responseId);
    const contents = before?.contents ?? [];
    const rounds = await this.servers.find(request, asked);
    const asks = parseChatBody(chatOf(body, input, contents, { mcp: rounds?.work ?? null }));
    // A request that is rejected is rejected before its searches and calls are charged.
    const search = await this.searches.run(body, input, asked);
    if (rounds) await this.servers.callApproved(rounds);
    const hosted = { search, mcp: rounds?.work ?? null };
    const chat = rounds
      ? rounds.chatAfter(hosted.mcp?.items ?? [], hosted, body)
      : search
        ? parseChatBody(chatOf(body, input, contents, hosted))
        : asks;
    const format = responseFormat({
      id: responseId,
      createdAt: Math.floor(receivedAtMs / 1e3),
      body,
      routingMode: chat.routing_mode,
      key,
      ...hosted,
      rounds,
      now: () => Math.floor(this.clock.now() / 1e3),
      keep: (response) => this.#keep(request, asked, response),
    });
    return { body: chat, format };
  }

  /** The answer is paid for and goes out whatever happens here; it says whether it is stored. */
  async #keep(
    { responseId, body, input, before }: AskedResponse,
    { caller, requestId }: ResponseRequest,
    response: ResponseObject,
  ): Promise<boolean> {
    if (body.store === false) return false;
    const { accountId, userId } = caller;
    const content = { input, response };
    const previous = before?.last ?? null;
    try {
      const stored = { responseId, accountId, userId, previous, content };
      await this.responses.store(stored, contextOf(requestId, `user:${userId}`));
      return true;
    } catch (error) {
      const facts = { requestId, ...callerFactsOf(caller), model: namedModelOf(body) };
      this.logger.error({ ...facts, err: error }, 'a response that was charged is not stored');
      return false;
    }
  }
}
