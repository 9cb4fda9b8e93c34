import { type ChangedTask } from '#areas/mesh/change-task.handler.js';
import { type LeaderView } from '#areas/mesh/cluster-leader.port.js';
import { type MeshTaskPage, type ShownTask } from '#areas/mesh/mesh-task.queries.js';
import { type MeshTask } from '#projections/mesh/mesh-tasks.projection.js';
import {
  type MeshHandoffResultDto,
  type MeshLeaseDto,
  type MeshTaskAnswerDto,
  type MeshTaskDto,
  type MeshTaskListDto,
} from './mesh.dto.js';

export const presentHandoff = (
  taskId: string,
  { task, position }: ChangedTask,
  { leader, election, clusterSize }: LeaderView,
): MeshHandoffResultDto => ({
  status: 'handed_off',
  task_id: taskId,
  target_agent: task.agent,
  raft_leader: leader,
  lease_ttl_sec: task.ttlSeconds,
  fencing_token: task.token,
  lease_expires_at: task.expiresAt,
  election,
  cluster_size: clusterSize,
  position: position.toString(),
});

export const presentLease = (taskId: string, { task, position }: ChangedTask): MeshLeaseDto => ({
  success: true,
  task_id: taskId,
  status: task.status,
  agent: task.agent,
  fencing_token: task.token,
  lease_expires_at: task.expiresAt,
  renewable_until: task.renewableUntil,
  position: position.toString(),
});

const presentTask = (task: MeshTask): MeshTaskDto => ({
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

export const presentTaskAnswer = ({ task, leader, position }: ShownTask): MeshTaskAnswerDto => ({
  success: true,
  task: presentTask(task),
  raft_leader: leader.leader,
  cluster_size: leader.clusterSize,
  position: position.toString(),
});

export const presentTasks = ({ tasks, nextAfter, position }: MeshTaskPage): MeshTaskListDto => ({
  success: true,
  tasks: tasks.map(presentTask),
  next_after: nextAfter,
  position: position.toString(),
});
