import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type PipelineOrder } from './pipeline-order.js';
import { PipelineRuns } from './pipeline-runs.js';
import { type PipelineEnd } from './pipeline.task.js';

/** A whole answer that has been paid for. */
export interface PipelineAnswer {
  readonly text: string;
  readonly end: PipelineEnd;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** Answers as a whole: places the hold, runs the pipeline, charges. */
export class RunPipelineCommand extends Command<PipelineAnswer> {
  constructor(
    readonly order: PipelineOrder,
    /** Aborted with a `RequestCutError` when the caller leaves or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(RunPipelineCommand)
export class RunPipelineHandler implements ICommandHandler<RunPipelineCommand> {
  constructor(private readonly runs: PipelineRuns) {}

  /** @throws DomainError, PipelineError, RequestCutError */
  async execute({ order, signal }: RunPipelineCommand): Promise<PipelineAnswer> {
    const { texts, pace } = await this.runs.start(order, signal, 'whole');
    let text = '';
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) text += next.value;
    const { end, entry, cut } = next.value;
    if (cut) throw cut;
    if (!end || !entry) throw new Error('an answer without an end or a charge');
    return { text, end, entry, ...(pace && { pace }) };
  }
}
