import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { BackgroundResponses } from '#areas/responses/background/background-responses.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { bodyLabels } from '../paid/body-labels.js';
import { callerContext } from '../identity/caller-context.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { type TranslatedRequest } from '../inference/translated-chats.js';
import { ResponsesExchange } from './responses.exchange.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Whether an unvalidated body asks for a response in the background. */
export const isInBackground = ({ body }: FastifyRequest): boolean =>
  typeof body === 'object' && body !== null && 'background' in body && body.background === true;

/** Takes requests for responses that jobs answer. */
@Injectable()
export class ResponsesBackground {
  constructor(
    private readonly exchange: ResponsesExchange,
    private readonly responses: BackgroundResponses,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /** A retry that takes over from a lost attempt is the same response: it has the same id. */
  async begin({ caller, request, reply, attempt }: TranslatedRequest): Promise<AnswerEnd> {
    const requestId = attempt?.firstAttempt ?? request.id;
    const { accountId, userId } = caller;
    const { responseId, body, input, before } = await this.exchange.read({
      sent: request.body,
      caller,
      requestId,
    });
    const response = await this.responses.begin(
      { responseId, accountId, userId, body, input, before },
      callerContext(request, caller, bodyLabels(request.body, accountId, this.hash)),
    );
    const text = JSON.stringify(response);
    attempt?.tap.head({ 'content-type': JSON_TYPE });
    attempt?.tap.text(text);
    send(reply, text);
    return 'whole';
  }

  cancel(responseId: string, caller: Caller, { id }: FastifyRequest): Promise<object> {
    const context = contextOf(id, actorOf(caller));
    return this.responses.cancel(responseId, caller.accountId, context);
  }
}

const actorOf = ({ userId }: Caller): string => `user:${userId}`;

const send = (reply: FastifyReply, text: string): void => {
  void reply.type(JSON_TYPE).send(text);
};
