import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ResponseProgress } from '#events/responses/response.job.js';
import { doubtsOf } from '#events/token-usage.vocabulary.js';
import { AbortedItemError } from '#platform/batches/aborted-item.js';
import { type ItemAnswer } from '#platform/batches/batch-endpoint.js';
import { ChatCalls } from '#platform/chats/chat-calls.port.js';
import {
  type Finished,
  type JobAttempt,
  JobOverError,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { followUp } from '#platform/runtime/commands/command-context.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { ResponseStore } from '../response-store.js';
import { ResponseStreams } from '../response-streams.js';
import { lineOf, queuedResponse } from './background-answer.js';
import { type BackgroundInput, ResponseResult } from './background-input.js';

/** No rig answered; another attempt may find one. `code` is one that the job type declares. */
export class RigsUnavailableError extends Error {
  override readonly name = 'RigsUnavailableError';
  readonly code = 'rigs_unavailable';
}

type Attempt = JobAttempt<BackgroundInput, null>;

/**
 * One attempt of a response in the background: one chat, without a hold of its own. A chat that a
 * rig rejects is a response that has failed, and free.
 */
@Injectable()
export class ResponseRunner implements JobRunner<
  BackgroundInput,
  ResponseProgress,
  null,
  ResponseResult
> {
  constructor(
    private readonly chats: ChatCalls,
    private readonly responses: ResponseStore,
    private readonly streams: ResponseStreams,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async *run(
    attempt: Attempt,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<ResponseProgress, null>, Finished<ResponseResult>, void> {
    const asked = await this.#start(attempt);
    try {
      const { createdAt, object } = asked;
      const line = lineOf(attempt.input, createdAt, () => Math.floor(this.clock.now() / 1e3));
      const { accountId, submittedAt } = attempt;
      const pricedAtMs = Date.parse(submittedAt);
      const order = { accountId, priority: 'interactive', pricedAtMs } as const;
      const answer = await this.chats.complete(line, order, signal);
      signal.throwIfAborted();
      return finished({ ...object, ...answer.body }, answer);
    } catch (error) {
      const isOver = signal.reason instanceof JobOverError;
      if (isOver && error instanceof AbortedItemError) yield aborted(error);
      signal.throwIfAborted();
      return finished({ ...asked.object, status: 'failed', error: this.#errorOf(error) });
    }
  }

  /** A crash after the submission of the job may have left the response out of the log. */
  async #start({ jobId, accountId, input }: Attempt) {
    const { responseId, userId, previous, input: items } = input;
    const contextOf = (step: string) =>
      followUp({ id: jobId, correlationId: jobId }, step, `user:${userId}`);
    const content = { input: items, response: queuedResponse(input, this.clock.now()) };
    const queued = { responseId, accountId, userId, previous, content };
    await this.responses.queue(queued, contextOf('queue'));
    const started = { responseId, accountId, startedAt: instant(this.clock) };
    await this.streams.run({ type: 'StartResponse', data: started }, contextOf('start'));
    const { response } = await this.responses.find(responseId, accountId);
    const object = ResponseResult.parse(response);
    return { object, createdAt: Number(object['created_at']) };
  }

  /** @throws RigsUnavailableError where another attempt may succeed */
  #errorOf(error: unknown): { readonly code: string; readonly message: string } {
    const shown = this.chats.failureOf(error);
    if (!shown) {
      this.logger.error({ err: error }, 'a response in the background has failed');
      return { code: 'internal_error', message: 'internal error; the operator finds the cause' };
    }
    if (this.chats.retryOf(error) !== 'never') {
      throw new RigsUnavailableError(shown.message, { cause: error });
    }
    return { code: shown.code, message: shown.message };
  }
}

const finished = (
  response: object,
  answer?: Pick<ItemAnswer, 'used' | 'usageDoubts'>,
): Finished<ResponseResult> => {
  const result = ResponseResult.parse(response);
  const { status } = result;
  const shown = ResponseProgress.parse({ status, ...doubtsOf(answer ? [answer] : []) });
  return { result, shown, usage: answer?.used ?? [] };
};

/** A response that is cancelled while a rig works on it costs as a chat whose caller leaves. */
const aborted = ({ used }: AbortedItemError): Progress<ResponseProgress, null> => {
  const shown = { status: 'cancelled' } as const;
  return { done: 0, total: null, shown, checkpoint: null, usage: used };
};
