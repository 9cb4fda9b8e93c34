import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { ChargedCutError } from '#areas/inference/charged-cut.error.js';
import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type ConnectedRequest, OpenRequests } from '../../operations/open-requests.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { ChatOutcomes } from './chat-outcomes.js';
import { type Chat } from './chat.js';
import { StreamedChats } from './streamed-chats.js';
import { WholeChats } from './whole-chats.js';

/** Answers one chat while its caller is connected. */
@Injectable()
export class ChatExchange {
  constructor(
    private readonly requests: OpenRequests,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    private readonly whole: WholeChats,
    private readonly streamed: StreamedChats,
    private readonly outcomes: ChatOutcomes,
  ) {}

  /** Resolves after the answer and its charge. @throws the error of an answer that did not begin */
  async answer(chat: Chat, reply: FastifyReply, tap?: AnswerTap): Promise<AnswerEnd> {
    const chats = chat.order.body.stream ? this.streamed : this.whole;
    let open: ConnectedRequest | undefined;
    try {
      open = this.requests.connect(reply.raw, this.limits.requestMsMax);
      return await chats.answer(chat, reply, open, tap);
    } catch (error) {
      if (error instanceof ChargedCutError) {
        this.outcomes.charged(chat, error.rig, error.usage, error.entry);
      }
      this.outcomes.rejected(chat, error);
      throw error;
    } finally {
      open?.close();
    }
  }
}
