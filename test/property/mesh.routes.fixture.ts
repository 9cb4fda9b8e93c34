import { type MeshInput, type MeshOutput } from './mesh.history.fixture.js';

const HANDOFF = '/api/v1/agents/mesh_handoff';

/** A request that asks for this: its path and its body. */
export const meshRequestOf = (taskId: string, input: MeshInput): readonly [string, object] => {
  const { kind, agent } = input;
  if (kind === 'take') return [HANDOFF, { task_id: taskId, target_agent: agent }];
  const { token } = input;
  if (kind !== 'pass')
    return [`/api/v1/mesh/tasks/${taskId}/${kind}`, { agent, fencing_token: token }];
  const hands = { source_agent: agent, target_agent: input.to, fencing_token: token };
  return [HANDOFF, { task_id: taskId, ...hands }];
};

/** The body of an answer: the token of the lease, or the code of the error. */
export const meshOutputOf = (body: unknown): MeshOutput => {
  const { fencing_token: token, code } = body as Readonly<Record<string, unknown>>;
  return token === undefined ? String(code) : Number(token);
};
