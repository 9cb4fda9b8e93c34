import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type WorkflowVersioned } from '#events/workflows/workflow.events.js';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { Tools } from '#platform/tools/tools.js';
import { z } from 'zod';
import { WorkflowStreams } from '../runs/workflow-streams.js';
import { WorkflowBlobs } from '../workflow-blobs.js';
import { reject } from '../workflows.errors.js';
import { CONTROL_KINDS } from './control-nodes.js';
import { WorkflowDocument } from './workflow-document.js';
import { type Workflow } from './workflows.decider.js';

export class WorkflowsQuery extends Query<readonly Workflow[]> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(WorkflowsQuery)
export class WorkflowsHandler implements IQueryHandler<WorkflowsQuery> {
  constructor(private readonly streams: WorkflowStreams) {}

  async execute({ accountId }: WorkflowsQuery): Promise<readonly Workflow[]> {
    return [...(await this.streams.workflowsOf(accountId)).values()];
  }
}

/** A version of a workflow with the document of its author. */
export interface ShownWorkflow {
  readonly workflow: Workflow;
  readonly version: WorkflowVersioned['data'];
  readonly document: WorkflowDocument;
}

export class WorkflowQuery extends Query<ShownWorkflow> {
  constructor(
    readonly accountId: string,
    readonly workflowId: number,
    /** Null: the newest. */
    readonly version: number | null,
  ) {
    super();
  }
}

@QueryHandler(WorkflowQuery)
export class WorkflowHandler implements IQueryHandler<WorkflowQuery> {
  constructor(
    private readonly streams: WorkflowStreams,
    private readonly blobs: WorkflowBlobs,
  ) {}

  /**
   * @throws DomainError `workflow_not_found`, `workflow_version_not_found`,
   *   `workflow_definition_gone`
   */
  async execute({ accountId, workflowId, version }: WorkflowQuery): Promise<ShownWorkflow> {
    const workflow = (await this.streams.workflowsOf(accountId)).get(workflowId);
    if (!workflow) return reject('workflow_not_found', `there is no workflow ${workflowId}`);
    const found = workflow.versions.at(version === null ? -1 : version - 1);
    if (!found || version === 0) {
      const detail = `the workflow ${workflowId} has ${workflow.versions.length} versions`;
      return reject('workflow_version_not_found', detail);
    }
    try {
      const document = await this.blobs.read(accountId, found.definition, WorkflowDocument);
      return { workflow, version: found, document };
    } catch (error) {
      if (!isBlobGone(error)) throw error;
      return reject('workflow_definition_gone', 'the definition is no longer kept');
    }
  }
}

/** A kind that a node may be. */
export interface NodeKindInfo {
  readonly kind: string;
  readonly description: string;
  readonly callsTool: boolean;
  /** JSON Schema of its parameters. */
  readonly parameters: z.core.JSONSchema.JSONSchema;
}

export class NodeKindsQuery extends Query<readonly NodeKindInfo[]> {}

@QueryHandler(NodeKindsQuery)
export class NodeKindsHandler implements IQueryHandler<NodeKindsQuery> {
  constructor(private readonly tools: Tools) {}

  execute(): Promise<readonly NodeKindInfo[]> {
    const controls = Object.entries(CONTROL_KINDS).map(([kind, { description, parameters }]) => ({
      kind,
      description,
      callsTool: false,
      parameters: z.toJSONSchema(parameters, { io: 'input' }),
    }));
    const tools = this.tools.list.map(({ name, description }) => ({
      kind: name,
      description,
      callsTool: true,
      parameters: this.tools.inputSchemaOf(name),
    }));
    return Promise.resolve([...controls, ...tools]);
  }
}
