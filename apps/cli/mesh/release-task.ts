import { ChangeTaskCommand } from '#areas/mesh/change-task.handler.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { findTask, MESH_NEEDS, type TaskOptions } from './mesh-task-fields.js';

/** Under the token of the last lease: one that was given meanwhile stays. */
export const releaseTask = async (
  options: TaskOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { taskId, agent, token } = await withQuipu(invocation, MESH_NEEDS, async (quipu) => {
    const task = await findTask(quipu, options);
    const { accountId } = task;
    const data = { accountId, taskId: task.taskId, agent: task.agent, token: task.token };
    const change = { type: 'ReleaseLease', data } as const;
    await quipu.commands.execute(new ChangeTaskCommand(change, quipu.context()));
    return task;
  });
  return {
    json: { task_id: taskId, status: 'released', agent, fencing_token: token },
    text: `Task ${taskId} has no holder any more; the token ${token} of ${agent} is not valid.`,
  };
};
