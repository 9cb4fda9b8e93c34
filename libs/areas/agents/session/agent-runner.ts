import { Injectable } from '@nestjs/common';
import {
  type AgentJobInput,
  type AgentJobProgress,
  type AgentJobResult,
} from './agent-job.schemas.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { type AgentSessionState, nextMove } from './agent-session.state.js';
import { SessionAttempt } from './session-attempt.js';
import { SessionWork } from './session-work.js';

/**
 * One attempt of a session: it makes the next move that the log determines, and writes each step
 * before the next one. Another attempt continues where the log ends.
 */
@Injectable()
export class AgentRunner implements JobRunner<
  AgentJobInput,
  AgentJobProgress,
  null,
  AgentJobResult
> {
  constructor(private readonly work: SessionWork) {}

  async *run(
    { input, attempt }: JobAttempt<AgentJobInput, null>,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<AgentJobProgress, null>, Finished<AgentJobResult>, void> {
    const session = new SessionAttempt(input, attempt, signal);
    let state = await this.work.start(session);
    for (let move = nextMove(state); move.kind !== 'nothing'; move = nextMove(state)) {
      signal.throwIfAborted();
      state = await this.work.doNext(session, move, state);
      yield progressOf(state);
    }
    const { steps, status } = stateShown(state);
    return { result: { status }, shown: { steps }, usage: [] };
  }
}

const stateShown = (state: AgentSessionState) =>
  state.status === 'absent'
    ? { steps: 0, status: null }
    : { steps: state.steps.length, status: state.end?.status ?? null };

const progressOf = (state: AgentSessionState): Progress<AgentJobProgress, null> => {
  const total = state.status === 'absent' ? null : state.started.stepsMax;
  const { steps } = stateShown(state);
  return { done: steps, total, shown: { steps }, checkpoint: null, usage: [] };
};
