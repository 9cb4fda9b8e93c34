import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  ANSWER_STORE,
  type AnswerStore,
  isIdempotencyKey,
  type StoredAnswer,
} from '#areas/inference/idempotency/answer-store.port.js';
import { isSettled, SettleChatCommand } from '#areas/inference/settle-chat.handler.js';
import { HttpFailure } from '../errors/http-failure.js';
import {
  type AnswerEnd,
  type AnswerTap,
  type Chat,
  ChatExchange,
  contextOfChat,
} from './chat-exchange.js';

/** Says that an answer was replayed, not made. */
const REPLAY_HEADER = 'x-quipu-idempotent-replay';
const RETRY_AFTER_RUNNING_SECONDS = 1;

/** The same `Idempotency-Key` and body get the answer of the first time, and are charged once. */
@Injectable()
export class IdempotentChat {
  constructor(
    @Inject(ANSWER_STORE) private readonly answers: AnswerStore,
    private readonly exchange: ChatExchange,
    private readonly commands: CommandBus,
  ) {}

  async answer(key: string, chat: Chat, reply: FastifyReply): Promise<void> {
    if (!isIdempotencyKey(key)) {
      throw new HttpFailure({
        status: 400,
        code: 'invalid_idempotency_key',
        message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
        param: 'Idempotency-Key',
      });
    }
    const { accountId } = chat.caller;
    const body = Buffer.from(JSON.stringify(chat.body));
    const asked = { scope: `account:${accountId}`, key, body, attempt: chat.requestId };
    const admission = await this.answers.admit(asked, ({ attempt, startedAtMs }) => {
      const left = { accountId, requestId: attempt, startedAtMs };
      return this.commands.execute(new SettleChatCommand(left, contextOfChat(chat)));
    });
    if (admission.outcome === 'started') await this.#run(admission, chat, reply);
    else if (admission.outcome === 'replay') replay(admission.answer, reply);
    else throw refusalOf(admission.outcome);
  }

  /**
   * An answer that failed or was cut short frees the key, so that a retry is a new try. One that may
   * have been charged all the same leaves it: the retry finds out first.
   */
  async #run(
    { finish, abandon, leave }: Admission & { outcome: 'started' },
    chat: Chat,
    reply: FastifyReply,
  ): Promise<void> {
    const recorder = new AnswerRecorder();
    let end: AnswerEnd = 'in-doubt';
    try {
      end = await this.exchange.answer(chat, reply, recorder);
    } catch (error) {
      if (error instanceof HttpFailure || isSettled(error)) end = 'cut';
      throw error;
    } finally {
      if (end === 'whole') await finish(recorder.answer());
      else if (end === 'cut') await abandon();
      else await leave();
    }
  }
}

/** Gathers an answer as it goes out, up to the size that is kept. */
class AnswerRecorder implements AnswerTap {
  readonly #texts: string[] = [];
  #headers: Readonly<Record<string, string>> = {};
  #bytes = 0;

  head(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  text(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes <= ANSWER_BYTES_MAX) this.#texts.push(text);
    else this.#texts.length = 0;
  }

  answer(): StoredAnswer | 'too-large' {
    if (this.#bytes > ANSWER_BYTES_MAX) return 'too-large';
    return { status: 200, headers: this.#headers, body: Buffer.from(this.#texts.join('')) };
  }
}

const replay = ({ status, headers, body }: StoredAnswer, reply: FastifyReply): void => {
  void reply
    .status(status)
    .headers({ ...headers, [REPLAY_HEADER]: 'true' })
    .send(Buffer.from(body));
};

const refusalOf = (outcome: 'conflict' | 'running' | 'too-large' | 'charged'): HttpFailure => {
  const param = 'Idempotency-Key';
  switch (outcome) {
    case 'conflict':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_conflict',
        message: 'this Idempotency-Key was used with another body',
        param,
      });
    case 'running':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_running',
        message: 'the first request with this Idempotency-Key is still being answered',
        param,
        retryAfterSeconds: RETRY_AFTER_RUNNING_SECONDS,
      });
    case 'too-large':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_answer_too_large',
        message: 'the first request was answered and charged; its answer was too large to keep',
        param,
      });
    case 'charged':
      return new HttpFailure({
        status: 409,
        code: 'idempotency_answer_lost',
        message:
          'the first request was charged, and its answer was lost before it was kept; ' +
          'another Idempotency-Key asks, and is charged, again',
        param,
      });
  }
};
