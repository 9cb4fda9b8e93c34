import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Tools } from '#platform/tools/tools.js';
import { WorkflowStreams } from '../runs/workflow-streams.js';
import { versionHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { reject } from '../workflows.errors.js';
import { checkDefinition } from './check-definition.js';
import { type Workflow } from './workflows.decider.js';

/** What a request made, or the same request made before. */
export interface StoredVersion {
  readonly workflow: Workflow;
  readonly version: number;
}

/** A first definition under a name, or a further version of a workflow. */
export class StoreDefinitionCommand extends Command<StoredVersion> {
  constructor(
    readonly accountId: string,
    readonly target: { readonly name: string } | { readonly workflowId: number },
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
    const definition = await this.blobs.put(accountId, document, versionHolder(requestId));
    const facts = { accountId, plan, definition, requestId, versionedAt: instant(this.clock) };
    const state = await this.streams.onWorkflows(
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
}
