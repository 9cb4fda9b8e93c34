import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { fieldsOf, findTask, MESH_NEEDS, type TaskOptions } from './mesh-task-fields.js';

export const showTask = async (options: TaskOptions, invocation: Invocation): Promise<Outcome> => {
  const task = await withQuipu(invocation, MESH_NEEDS, (quipu) => findTask(quipu, options));
  const fields = fieldsOf(task);
  const rows = Object.entries(fields).map(([name, value]) => [name, String(value ?? '-')]);
  return { json: fields, text: inColumns(rows) };
};
