import { Injectable } from '@nestjs/common';
import { DomainError } from '#platform/kernel/domain-error.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { HostEnergy } from './host-energy.js';
import { type SpikingErrorCode, SpikingRunError } from './spiking.errors.js';
import { type SpikingEnd, spikingEngine, type SpikingInput } from './spiking.engine.js';

/** The result of a run. */
export interface FinishedRun {
  readonly run: SpikingEnd;
  /** Of the whole machine while it ran; null where that is not measured. */
  readonly measuredJoulesHost: number | null;
}

/** Runs networks as tasks. Of the machine that runs them, only this one can be measured. */
@Injectable()
export class SpikingRunner {
  constructor(
    private readonly tasks: Tasks,
    private readonly energy: HostEnergy,
  ) {}

  /**
   * Undefined when the signal ended the run.
   * @param weightsSha256 of the card by which the run was priced
   * @throws DomainError `snn_input_invalid`; SpikingRunError
   */
  async run(
    task: SpikingInput,
    weightsSha256: string,
    signal: AbortSignal,
  ): Promise<FinishedRun | undefined> {
    const measured = this.tasks.seesLocalFiles ? await this.energy.start() : NOT_MEASURED;
    try {
      const pieces = this.tasks.run(spikingEngine, task, signal);
      let next = await pieces.next();
      while (!next.done) next = await pieces.next();
      if (next.value === null) return undefined;
      if (next.value.weightsSha256 !== weightsSha256) throw otherWeights();
      return { run: next.value, measuredJoulesHost: await measured() };
    } catch (error) {
      throw meaningOf(error);
    }
  }
}

const NOT_MEASURED = (): Promise<null> => Promise.resolve(null);

const otherWeights = (): SpikingRunError =>
  new SpikingRunError('failed', 'the worker has other weights of this network than the gateway');

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'the networks are busy; try again',
  away: 'no process can run this network now; try again',
  failed: 'the network did not finish',
};
/** Of the engine: another worker may have the network. */
const AWAY = ['model_unknown', 'weights_invalid', 'crashed'];

const meaningOf = (error: unknown): unknown => {
  if (!(error instanceof TaskError)) return error;
  const { code, message } = error;
  switch (code) {
    case 'input_invalid':
      return rejectionOf(message);
    case 'task_too_large':
      return rejectionOf('input_data is too large for a message to a worker');
    default: {
      const outage = outageOf(error, AWAY);
      return new SpikingRunError(outage, MESSAGES[outage], { cause: error });
    }
  }
};

const rejectionOf = (detail: string): DomainError =>
  new DomainError<SpikingErrorCode>('snn_input_invalid', detail);
