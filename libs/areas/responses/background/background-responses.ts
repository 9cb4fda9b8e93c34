import { Inject, Injectable } from '@nestjs/common';
import { type ResponseSummary } from '#events/responses/response.job.js';
import { type UserId } from '#events/vocabulary.js';
import { ChatCalls } from '#platform/chats/chat-calls.port.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type ResponseRecord } from '../response-blobs.js';
import { jobIdOf } from '../response-id.js';
import { type Conversation, ResponseStore } from '../response-store.js';
import { ResponseStreams } from '../response-streams.js';
import { notFound, reject } from '../responses.errors.js';
import { type Item } from '../translation/input-items.js';
import { type ResponseBody } from '../translation/response-body.js';
import { chatOf } from '../translation/response-chat.js';
import { lineOf, queuedResponse } from './background-answer.js';
import { type BackgroundInput } from './background-input.js';
import { responseJob } from './response.job.js';

export interface BackgroundOrder {
  readonly responseId: string;
  readonly accountId: string;
  readonly userId: UserId;
  readonly body: ResponseBody;
  readonly input: readonly Item[];
  readonly before: Conversation | null;
}

/** A cancellation waits so long for the end of the job before it answers. */
const CANCEL_WAIT_MS = 3_000;

/** Responses that jobs answer. */
@Injectable()
export class BackgroundResponses {
  constructor(
    private readonly chats: ChatCalls,
    private readonly jobs: Jobs,
    private readonly responses: ResponseStore,
    private readonly streams: ResponseStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Holds the worst case and submits the job. Repeating the same order is the same response.
   * @throws RejectedRequestError; DomainError, `insufficient_balance` among them, before anything
   *   is recorded
   */
  async begin(order: BackgroundOrder, context: CommandContext): Promise<ResponseRecord> {
    const { responseId, accountId, userId } = order;
    const input = inputOf(order);
    await this.#submit(input, accountId, context);
    const { previous, input: items } = input;
    const content = { input: items, response: queuedResponse(input, this.clock.now()) };
    await this.responses.queue({ responseId, accountId, userId, previous, content }, context);
    return (await this.responses.find(responseId, accountId)).response;
  }

  /**
   * Stops the job. An ended response stays as it is.
   * @returns the response: `cancelled` unless its rig takes longer to stop
   * @throws DomainError `response_not_found`, `response_not_in_background`
   */
  async cancel(
    responseId: string,
    accountId: string,
    context: CommandContext,
  ): Promise<ResponseRecord> {
    const { response } = await this.responses.find(responseId, accountId);
    const state = await this.streams.stateOf(responseId);
    if (state.status === 'absent') return notFound(responseId);
    if (!state.queued) {
      const detail = 'only a response in the background can be cancelled';
      return reject('response_not_in_background', detail);
    }
    if ('response' in state) return response;
    await this.jobs.cancel(jobIdOf(responseId), context);
    await this.streams.untilEnded(responseId, AbortSignal.timeout(CANCEL_WAIT_MS));
    return (await this.responses.find(responseId, accountId)).response;
  }

  async #submit(input: BackgroundInput, accountId: string, context: CommandContext): Promise<void> {
    const { responseId } = input;
    const line = lineOf(input, 0, () => 0);
    const accepted = this.chats.accept(line);
    await this.chats.guard(line, accountId);
    const { model } = accepted;
    const pricedAtMs = this.clock.now();
    const price = this.chats.price(model, pricedAtMs) ?? unpriced(model);
    const summary = { responseId, model } satisfies ResponseSummary;
    const { rateCardVersion } = price;
    await this.jobs.submit(
      responseJob,
      {
        jobId: jobIdOf(responseId),
        accountId,
        input,
        summary,
        models: [model],
        hold: { lines: price.linesOf(accepted), rateCardVersion, evidence: summary },
        pricedAtMs,
      },
      context,
    );
  }
}

const inputOf = ({ responseId, userId, body, input, before }: BackgroundOrder): BackgroundInput => {
  const { input: _, ...rest } = body;
  return {
    responseId,
    userId,
    body: rest,
    previous: before && {
      responseId: before.last.responseId,
      depth: before.last.depth,
      conversationBytes: before.last.conversationBytes,
    },
    input: input.map((item) => ({ ...item })),
    chat: chatOf(body, input, before?.contents ?? []),
  };
};

const unpriced = (model: string): never => {
  throw new RejectedRequestError({
    status: 404,
    code: 'model_not_found',
    message: `the model ${model} has no price; see GET /v1/models`,
    param: 'model',
  });
};
