import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { MeshTaskId } from '#events/mesh/mesh-task.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { keyAfter } from '#platform/read-store/document-pages.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type MeshTask,
  meshTaskKey,
  meshTasks,
  meshTasksPrefix,
  type MeshTaskStatus,
} from '#projections/mesh/mesh-tasks.projection.js';
import { ClusterLeader, type LeaderView } from './cluster-leader.port.js';
import { reject } from './mesh.errors.js';

export interface ShownTask {
  readonly task: MeshTask;
  readonly leader: LeaderView;
  readonly position: bigint;
}

/** A task of an account, and who leads the installation. */
export class MeshTaskQuery extends Query<ShownTask> {
  constructor(
    readonly accountId: string,
    readonly taskId: string,
  ) {
    super();
  }
}

/** A lease that has ended by the clock is shown so before the log has its end. */
const asOf = (task: MeshTask, now: string): MeshTask =>
  task.status === 'leased' && task.expiresAt <= now ? { ...task, status: 'expired' } : task;

@QueryHandler(MeshTaskQuery)
export class MeshTaskHandler implements IQueryHandler<MeshTaskQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly clusterLeader: ClusterLeader,
  ) {}

  /** @throws DomainError `mesh_task_not_found` */
  async execute({ accountId, taskId }: MeshTaskQuery): Promise<ShownTask> {
    const [{ document, position }, leader] = await Promise.all([
      this.projections.get(meshTasks, meshTaskKey(accountId, taskId)),
      this.clusterLeader.current(),
    ]);
    const task = document?.task;
    if (!task) return reject('mesh_task_not_found', `there is no task ${taskId}`);
    return { task: asOf(task, instant(this.clock)), leader, position };
  }
}

export interface MeshTaskFilter {
  /** Null: of every agent, in every state. */
  readonly agent: string | null;
  readonly status: MeshTaskStatus | null;
}

export interface MeshTaskPage {
  /** By id. */
  readonly tasks: readonly MeshTask[];
  /** The `after` of the next page; null for the last page. */
  readonly nextAfter: string | null;
  readonly position: bigint;
}

export class MeshTasksQuery extends Query<MeshTaskPage> {
  constructor(
    readonly accountId: string,
    readonly filter: MeshTaskFilter,
    readonly page: { readonly limit: number; readonly after: string | null },
  ) {
    super();
  }
}

/**
 * The tasks that one page looks through for tasks that pass the filter. A page that has reached the
 * limit may have fewer tasks, or none, and still have a next page.
 */
export const TASKS_LOOKED_THROUGH_MAX = 2_000;

@QueryHandler(MeshTasksQuery)
export class MeshTasksHandler implements IQueryHandler<MeshTasksQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `mesh_cursor_invalid` for an `after` that cannot be the id of a task */
  async execute({ accountId, filter, page }: MeshTasksQuery): Promise<MeshTaskPage> {
    const { limit, after } = page;
    if (after !== null && !MeshTaskId.safeParse(after).success) {
      return reject('mesh_cursor_invalid', 'after is the next_after of the page before');
    }
    const isFiltered = filter.agent !== null || filter.status !== null;
    const most = isFiltered ? TASKS_LOOKED_THROUGH_MAX : limit;
    const { documents, position } = await this.projections.list(meshTasks, {
      prefix: meshTasksPrefix(accountId),
      limit: most + 1,
      ...(after !== null && { from: keyAfter(meshTaskKey(accountId, after)) }),
    });
    const now = instant(this.clock);
    const found = documents.flatMap(({ document: { task } }) => (task ? [asOf(task, now)] : []));
    const seen = found.slice(0, most);
    const passing = seen.filter((task) => passes(task, filter));
    const tasks = passing.slice(0, limit);
    const isFull = passing.length > limit;
    const last = isFull ? tasks.at(-1) : seen.at(-1);
    const hasMore = isFull || found.length > most;
    return { tasks, nextAfter: hasMore ? (last?.taskId ?? null) : null, position };
  }
}

const passes = (task: MeshTask, { agent, status }: MeshTaskFilter): boolean =>
  (agent === null || task.agent === agent) && (status === null || task.status === status);
