import { MeshTasksQuery } from '#areas/mesh/mesh-task.queries.js';
import { type MeshTaskStatus } from '#projections/mesh/mesh-tasks.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { fieldsOf, MESH_NEEDS } from './mesh-task-fields.js';

export interface ListTasksOptions extends CommonOptions {
  readonly user: string;
  readonly agent?: string;
  readonly status?: MeshTaskStatus;
  readonly after?: string;
  readonly limit: number;
}

export const listTasks = async (
  { user, agent, status, after, limit }: ListTasksOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { tasks, nextAfter } = await withQuipu(invocation, MESH_NEEDS, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    const filter = { agent: agent ?? null, status: status ?? null };
    const page = { limit, after: after ?? null };
    return quipu.queries.execute(new MeshTasksQuery(accountId, filter, page));
  });
  const header = ['ID', 'STATUS', 'AGENT', 'TOKEN', 'LEASE ENDS'];
  const rows = tasks.map(({ taskId, status: is, agent: holder, token, expiresAt }) => [
    taskId,
    is,
    holder,
    String(token),
    expiresAt,
  ]);
  return {
    json: { tasks: tasks.map(fieldsOf), next_after: nextAfter },
    text: listText({ noun: 'tasks', header, rows, nextAfter }),
  };
};
