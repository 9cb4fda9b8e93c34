import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { type Failure } from '../errors/envelope.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { type AnswerEnd } from '../idempotency/answer-recorder.js';
import { type Chat } from './chat.js';
import { ChatMetrics } from './chat.metrics.js';

/** Records the charge and the end of chats. */
@Injectable()
export class ChatOutcomes {
  constructor(
    private readonly metrics: ChatMetrics,
    private readonly failures: Failures,
    private readonly failureLog: FailureLog,
  ) {}

  /** The first page of a stream has come. */
  began({ order: { body }, startedAt }: Chat): void {
    this.metrics.firstPage(body.model, secondsSince(startedAt));
  }

  charged({ order: { body } }: Chat, rig: string | null, usage: Usage, entry: LedgerEntry): void {
    const { chargedMicroUsd } = entry;
    this.metrics.chatCharged({ model: body.model, rig, usage, chargedMicroUsd });
  }

  ended({ order: { body }, startedAt }: Chat, errorCode = ''): void {
    this.metrics.chatEnded(body.model, secondsSince(startedAt), errorCode);
  }

  /** For an answer that has not begun: the error filter answers and logs. */
  rejected(chat: Chat, error: unknown): void {
    this.ended(chat, this.failures.of(error).code);
  }

  /** For an answer that has begun. */
  broken(chat: Chat, rig: string | null, reply: FastifyReply, error: unknown): Failure {
    const failure = { ...this.failures.of(error), ...(rig !== null && { rig }) };
    this.failureLog.write({ request: reply.request, reply, failure, error });
    this.ended(chat, failure.code);
    return failure;
  }

  endOf(error: unknown): AnswerEnd {
    return this.failures.isChargeKnown(error) ? 'cut' : 'in-doubt';
  }
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1e3;
