import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';
import { type ConnectedRequest } from '../../operations/open-requests.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { type AnswerFormat, formatFor, type WholeReply } from './answer-format.js';
import { ChatHeads } from './chat-heads.js';
import { ChatOutcomes } from './chat-outcomes.js';
import { type Chat, chargedOf, followingChat } from './chat.js';
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
    let answer = await this.chats.execute(chat.order, signal);
    let chargedMicroUsd = 0n;
    let format: AnswerFormat;
    let whole: WholeReply;
    for (let n = 1; ; n += 1) {
      const { text, rig, usage, bound, entry } = answer;
      this.outcomes.charged(chat, rig, usage, entry);
      chargedMicroUsd += entry.chargedMicroUsd;
      whole = { text, usage: chargedOf(usage, bound) };
      format = formatFor(chat.format, answer);
      const following = format.follow && (await format.follow(whole, signal));
      if (!following) break;
      answer = await this.chats.execute(followingChat(chat, following, n), signal);
    }
    const { pace, entry } = answer;
    const route = routeHeaders(chat.startedAt, answer);
    const cost = costHeaders(entry, chargedMicroUsd);
    const written = format.whole(whole);
    const text = typeof written === 'string' ? written : await written;
    tap?.head({ ...route, ...cost, ...answer.headers, 'content-type': JSON_TYPE });
    tap?.text(text);
    this.outcomes.ended(chat);
    const content = { 'content-type': JSON_TYPE, 'content-length': `${Buffer.byteLength(text)}` };
    this.heads.write(chat, reply, [route, cost, answer.headers, content], pace).end(text);
    return 'whole';
  }
}
