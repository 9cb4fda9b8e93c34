import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import {
  type ListedRun,
  runsPrefix,
  workflowRuns,
} from '#projections/workflows/workflow-runs.projection.js';
import { criticalPath, type CriticalPath } from '../definition/graph.js';
import { NodeInputs } from './node-input.js';
import { RunAccess } from './run-access.js';
import { itemsOf } from './run-graph.js';
import { type RunNode, type StartedRun } from './workflow-run.state.js';

export interface ShownNode {
  readonly path: string;
  readonly node: RunNode;
  /** From the start of the last attempt to the end of the node; null: it did not begin. */
  readonly elapsedMs: number | null;
  /** Null where there is none, or where it is no longer kept. */
  readonly output: unknown;
  /** Items of a map node, by their status. */
  readonly items: Readonly<Record<string, number>> | null;
}

export interface ShownRun {
  readonly run: StartedRun;
  readonly nodes: readonly ShownNode[];
  /** The chain of nodes that took longest, by their measured times. */
  readonly criticalPath: CriticalPath;
}

export class RunQuery extends Query<ShownRun> {
  constructor(
    /** As a caller sent it. */
    readonly runId: string,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(RunQuery)
export class RunQueryHandler implements IQueryHandler<RunQuery> {
  constructor(
    private readonly access: RunAccess,
    private readonly inputs: NodeInputs,
  ) {}

  /** @throws DomainError `workflow_run_not_found` */
  async execute({ runId, reader }: RunQuery): Promise<ShownRun> {
    const run = await this.access.find(runId, reader);
    const { nodes: planned } = run.order.plan;
    const nodes = await Promise.all(planned.map(({ name }) => this.#show(run, name)));
    const times = new Map(nodes.map(({ path, elapsedMs }) => [path, elapsedMs ?? 0]));
    return { run, nodes, criticalPath: criticalPath(planned, (name) => times.get(name) ?? 0) };
  }

  async #show(run: StartedRun, path: string): Promise<ShownNode> {
    const node = run.nodes.get(path);
    if (!node) throw new Error(`the run has no node ${path}`);
    const items = node.items === null ? null : countsOf(itemsOf(run, node));
    return { path, node, elapsedMs: elapsedOf(node), output: await this.#output(run, node), items };
  }

  async #output(run: StartedRun, node: RunNode): Promise<unknown> {
    if (node.status !== 'succeeded') return null;
    try {
      return await this.inputs.outputOf(run, node);
    } catch (error) {
      if (isBlobGone(error)) return null;
      throw error;
    }
  }
}

const elapsedOf = ({ beganAt, end }: RunNode): number | null =>
  beganAt === null || !end ? null : Date.parse(end.endedAt) - Date.parse(beganAt);

const countsOf = (items: readonly RunNode[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { status } of items) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export interface RunsPage {
  readonly runs: readonly ListedRun[];
  /** Where the next page begins; null for the last one. */
  readonly nextAfter: string | null;
}

/** The runs of an account, newest first. */
export class RunsQuery extends Query<RunsPage> {
  constructor(
    readonly accountId: string,
    readonly limit: number,
    /** The `nextAfter` of the page before. */
    readonly after: string | null,
  ) {
    super();
  }
}

@QueryHandler(RunsQuery)
export class RunsQueryHandler implements IQueryHandler<RunsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>) {}

  async execute({ accountId, limit, after }: RunsQuery): Promise<RunsPage> {
    const prefix = runsPrefix(accountId);
    const { documents } = await this.projections.list(workflowRuns, {
      prefix,
      direction: 'backwards',
      limit,
      ...(after !== null && { before: `${prefix}${after}` }),
    });
    const last = documents.at(-1);
    const nextAfter = last && documents.length === limit ? last.key.slice(prefix.length) : null;
    return { runs: documents.map(({ document }) => document), nextAfter };
  }
}
