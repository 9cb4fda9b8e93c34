import { Inject, Injectable } from '@nestjs/common';
import { type WorkflowEvent, workflowEvents } from '#events/workflows/workflow.events.js';
import { type WorkflowRunEvent, workflowRunEvents } from '#events/workflows/workflow-run.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  type WorkflowCommand,
  workflowsDecider,
  type WorkflowsState,
} from '../definition/workflows.decider.js';
import { type WorkflowRunCommand, workflowRunDecider } from './workflow-run.decider.js';
import { type RunState } from './workflow-run.state.js';

export const runStream = (runId: string): string => `workflowrun-${runId}`;

const workflowsStream = (accountId: string): string => `workflows-${accountId}`;

/** Runs the commands of the area on their streams; one per process. */
@Injectable()
export class WorkflowStreams {
  readonly #workflows: CommandRunner<WorkflowCommand, WorkflowsState, WorkflowEvent>;
  readonly #runs: CommandRunner<WorkflowRunCommand, RunState, WorkflowRunEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const workflows = { decider: workflowsDecider, codec: codec.for(workflowEvents) };
    this.#workflows = new CommandRunner({ ...workflows, eventStore });
    const runs = { decider: workflowRunDecider, codec: codec.for(workflowRunEvents) };
    this.#runs = new CommandRunner({ ...runs, eventStore });
  }

  /** @throws DomainError */
  async onWorkflows(command: WorkflowCommand, context: CommandContext): Promise<WorkflowsState> {
    const stream = workflowsStream(command.data.accountId);
    return (await this.#workflows.run(stream, command, context)).state;
  }

  async workflowsOf(accountId: string): Promise<WorkflowsState> {
    return (await this.#workflows.stateOf(workflowsStream(accountId))).state;
  }

  /** @throws DomainError */
  async onRun(command: WorkflowRunCommand, context: CommandContext): Promise<RunState> {
    return (await this.#runs.run(runStream(command.data.runId), command, context)).state;
  }

  async runOf(runId: string): Promise<RunState> {
    return (await this.#runs.stateOf(runStream(runId))).state;
  }
}
