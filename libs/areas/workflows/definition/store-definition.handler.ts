import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Tools } from '#platform/tools/tools.js';
import { WorkflowStreams } from '../runs/workflow-streams.js';
import { versionHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { reject } from '../workflows.errors.js';
import { checkDefinition } from './check-definition.js';
import {
  isNewVersion,
  type VersionTarget,
  type Workflow,
  type WorkflowCommand,
  type WorkflowsState,
} from './workflows.decider.js';

/** The version that a request stored, or that the same request stored before. */
export interface StoredVersion {
  readonly workflow: Workflow;
  readonly version: number;
}

/** A first definition under a name, or a further version of a workflow. */
export class StoreDefinitionCommand extends Command<StoredVersion> {
  constructor(
    readonly accountId: string,
    readonly target: VersionTarget,
    /** As its author sent it. */
    readonly definition: unknown,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(StoreDefinitionCommand)
export class StoreDefinitionHandler implements ICommandHandler<StoreDefinitionCommand> {
  constructor(
    private readonly streams: WorkflowStreams,
    private readonly blobs: WorkflowBlobs,
    private readonly tools: Tools,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A repeated request gets the version of the first one. */
  async execute(command: StoreDefinitionCommand): Promise<StoredVersion> {
    const { accountId, target, context } = command;
    const { document, plan } = checkDefinition(command.definition, this.tools);
    const requestId = derivedId('workflow-version', context.requestId);
    // A request that is rejected stores nothing.
    isNewVersion(target, requestId, await this.streams.workflowsOf(accountId));
    const definition = await this.blobs.put(accountId, document, versionHolder(requestId));
    const facts = { accountId, plan, definition, requestId, versionedAt: instant(this.clock) };
    const state = await this.#record(
      'name' in target
        ? { type: 'CreateWorkflow', data: { ...facts, name: target.name } }
        : { type: 'AddVersion', data: { ...facts, workflowId: target.workflowId } },
      context,
    );
    for (const workflow of state.values()) {
      const stored = workflow.versions.find((one) => one.requestId === requestId);
      if (stored) return { workflow, version: stored.version };
    }
    return reject('workflow_not_found', 'the workflow is not there');
  }

  /** Another request may have been faster: the content of a rejected one is not kept. */
  async #record(command: WorkflowCommand, context: CommandContext): Promise<WorkflowsState> {
    try {
      return await this.streams.onWorkflows(command, context);
    } catch (error) {
      const { accountId, definition, requestId } = command.data;
      if (error instanceof DomainError) {
        await this.blobs.release(accountId, definition, versionHolder(requestId));
      }
      throw error;
    }
  }
}
