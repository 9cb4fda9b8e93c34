import { Injectable } from '@nestjs/common';
import { DomainError } from '#platform/kernel/domain-error.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { modelDigests, pipelineEngine } from './pipeline.engine.js';
import { type PipelineOrder } from './pipeline-order.js';
import { type PipelineEnd, type PipelinePiece, type PipelineTask } from './pipeline.task.js';
import { PipelineError, type ShardingErrorCode } from './sharding.errors.js';

/** Runs answers as tasks, in this process or on a worker. */
@Injectable()
export class PipelineRunner {
  readonly #digestOf = modelDigests();

  constructor(private readonly tasks: Tasks) {}

  /**
   * Returns null when the signal ended the run.
   * @throws DomainError for a request that no pipeline can answer; PipelineError
   */
  async *run(
    order: PipelineOrder,
    modelFile: string,
    maxTokens: number,
    signal: AbortSignal,
  ): AsyncGenerator<PipelinePiece, PipelineEnd | null, void> {
    try {
      const task = await this.#taskOf(order, modelFile, maxTokens);
      return yield* this.tasks.run(pipelineEngine, task, signal);
    } catch (error) {
      throw meaningOf(error);
    }
  }

  async #taskOf(
    { messages, transport, temperature, topP, stop, seed }: PipelineOrder,
    modelFile: string,
    maxTokens: number,
  ): Promise<PipelineTask> {
    const asked = {
      messages,
      transport,
      maxTokens,
      temperature,
      stop,
      ...(topP !== null && { topP }),
      ...(seed !== null && { seed }),
    };
    if (this.tasks.seesLocalFiles) return { ...asked, modelFile };
    return { ...asked, modelSha256: await this.#digestOf(modelFile) };
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'the pipelines are busy; try again',
  away: 'no process can run a pipeline of this model now; try again',
  failed: 'the pipeline did not finish',
};
/** Of the engine: other workers may have the model. */
const AWAY = ['crashed', 'model_file_missing'];

const meaningOf = (error: unknown): unknown => {
  if (!(error instanceof TaskError)) return error;
  const { code, message } = error;
  switch (code) {
    case 'prompt_too_long':
      return rejectionOf('pipeline_prompt_too_long', message);
    case 'task_too_large':
      return rejectionOf('pipeline_prompt_too_long', 'the prompt is too long for a message');
    case 'model_unsupported':
    case 'model_too_large':
      return rejectionOf('pipeline_model_unsupported', message);
    case 'transport_unavailable':
      return rejectionOf('pipeline_transport_unavailable', message);
    case 'stage_lost':
      return new PipelineError('lost', message, { cause: error });
    default: {
      const outage = outageOf(error, AWAY);
      return new PipelineError(outage, MESSAGES[outage], { cause: error });
    }
  }
};

const rejectionOf = (code: ShardingErrorCode, detail: string): DomainError =>
  new DomainError<ShardingErrorCode>(code, detail);
