import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';
import { type ConnectedRequest } from '../../operations/open-requests.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { formatFor } from './answer-format.js';
import { ChatHeads } from './chat-heads.js';
import { ChatOutcomes } from './chat-outcomes.js';
import { type Chat, chargedOf, orderOf } from './chat.js';
import { costHeaders, routeHeaders } from './chat.headers.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers chats in one piece. */
@Injectable()
export class WholeChats {
  constructor(
    private readonly chats: CompleteChatHandler,
    private readonly heads: ChatHeads,
    private readonly outcomes: ChatOutcomes,
  ) {}

  /** @throws the error of an answer that did not begin */
  async answer(
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
    this.outcomes.charged(chat, rig, usage, entry);
    const format = formatFor(chat.format, answer);
    const text = await format.whole({ text: answer.text, usage: chargedOf(usage, bound) });
    tap?.head(headers);
    tap?.text(text);
    this.outcomes.ended(chat);
    const length = { 'content-length': Buffer.byteLength(text) };
    this.heads.write(chat, reply, { ...headers, ...length }, pace).end(text);
    return 'whole';
  }
}
