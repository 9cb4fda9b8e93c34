import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { type ResponseQueued } from '#events/responses/response.events.js';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { ResponseBlobs, type ResponseContent, type ResponseRecord } from '../response-blobs.js';
import { RESPONSE_PREFIX } from '../response-id.js';
import { type Continued, ResponseStore } from '../response-store.js';
import { ResponseStreams } from '../response-streams.js';
import { type EndedResponse } from './background-response.saga.js';
import { responseJob } from './response.job.js';

/** Stores the outcome of the job of a response. The command may come twice. */
export class EndResponseCommand extends Command<void> {
  constructor(
    readonly data: EndedResponse,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndResponseCommand)
export class EndResponseHandler implements ICommandHandler<EndResponseCommand> {
  constructor(
    private readonly jobs: Jobs,
    private readonly responses: ResponseStore,
    private readonly streams: ResponseStreams,
    private readonly blobs: ResponseBlobs,
  ) {}

  async execute({ data, context }: EndResponseCommand): Promise<void> {
    const responseId = `${RESPONSE_PREFIX}${data.jobId.replaceAll('-', '')}`;
    const state = await this.streams.stateOf(responseId);
    if (state.status !== 'queued' && state.status !== 'in_progress') return;
    const { queued } = state;
    const asked = await this.#asked(queued);
    const response = asked && (await this.#answerTo(asked, data));
    if (!response) return;
    const { accountId, userId, createdAt } = queued;
    const content = { input: asked.input, response };
    const previous = continuedBy(queued);
    await this.responses.store(
      { responseId, accountId, userId, previous, content, createdAt },
      context,
    );
  }

  /** Null where the content is gone, as after the erasure of the user: it is found no more. */
  async #asked(queued: ResponseQueued['data']): Promise<ResponseContent | null> {
    try {
      return await this.blobs.read(queued);
    } catch (error) {
      if (isBlobGone(error)) return null;
      throw error;
    }
  }

  /** Null where the result is gone with its user. */
  async #answerTo(
    { response }: ResponseContent,
    { jobId, outcome, error }: EndedResponse,
  ): Promise<ResponseRecord | null> {
    if (outcome === 'cancelled') return { ...response, status: 'cancelled' };
    if (outcome !== 'completed') return { ...response, status: 'failed', error };
    try {
      return await this.jobs.result(responseJob, JobId.parse(jobId));
    } catch (cause) {
      if (cause instanceof DomainError && cause.code === 'job_result_gone') return null;
      throw cause;
    }
  }
}

const continuedBy = ({
  previousResponseId: responseId,
  depth,
  bytesBefore: conversationBytes,
}: ResponseQueued['data']): Continued | null =>
  responseId === null ? null : { responseId, depth: depth - 1, conversationBytes };
