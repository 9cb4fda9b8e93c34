import { MeshTaskQuery } from '#areas/mesh/mesh-task.queries.js';
import { type MeshTask, meshTasks } from '#projections/mesh/mesh-tasks.projection.js';
import { type CommonOptions } from '../invocation.js';
import { type Quipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface TaskOptions extends CommonOptions {
  readonly id: string;
  readonly user: string;
}

/** `identity` opens accounts, which are of `billing`. */
export const MESH_NEEDS = {
  areas: ['identity', 'billing', 'mesh'],
  installation: 'exists',
  projections: [meshTasks],
} as const;

/** @throws CommandFailure `user_not_found`, DomainError `mesh_task_not_found` */
export const findTask = async (quipu: Quipu, { user, id }: TaskOptions): Promise<MeshTask> => {
  const accountId = await accountOf(quipu, user);
  return (await quipu.queries.execute(new MeshTaskQuery(accountId, id))).task;
};

export const fieldsOf = (task: MeshTask) => ({
  task_id: task.taskId,
  status: task.status,
  agent: task.agent,
  source_agent: task.fromAgent,
  fencing_token: task.token,
  lease_ttl_sec: task.ttlSeconds,
  context_ref: task.contextRef,
  result_ref: task.resultRef,
  created_at: task.createdAt,
  handed_off_at: task.handedOffAt,
  lease_expires_at: task.expiresAt,
  renewable_until: task.renewableUntil,
  completed_at: task.completedAt,
});
