import {
  WorkflowCreated,
  type WorkflowEvent,
  WorkflowVersioned,
} from '#events/workflows/workflow.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../workflows.errors.js';

export const WORKFLOWS_MAX = 500;
export const VERSIONS_MAX = 1_000;

/** A version that is checked and whose definition is stored. */
type NewVersion = Omit<WorkflowVersioned['data'], 'workflowId' | 'version'>;

export type WorkflowCommand =
  | { readonly type: 'CreateWorkflow'; readonly data: NewVersion & { readonly name: string } }
  | { readonly type: 'AddVersion'; readonly data: NewVersion & { readonly workflowId: number } };

export interface Workflow {
  readonly workflowId: number;
  readonly name: string;
  readonly createdAt: string;
  /** From version 1 on. */
  readonly versions: readonly WorkflowVersioned['data'][];
}

/** The workflows of an account, by id. */
export type WorkflowsState = ReadonlyMap<number, Workflow>;

const isMadeBy =
  (requestId: string) =>
  ({ versions }: Workflow): boolean =>
    versions.some((one) => one.requestId === requestId);

const create = (
  { name, ...version }: NewVersion & { readonly name: string },
  state: WorkflowsState,
): readonly WorkflowEvent[] => {
  const all = [...state.values()];
  if (all.some(isMadeBy(version.requestId))) return [];
  if (all.some((one) => one.name === name)) {
    return reject('workflow_name_taken', `there is a workflow ${name}; add a version to it`);
  }
  if (state.size >= WORKFLOWS_MAX) {
    return reject('too_many_workflows', `an account has ${WORKFLOWS_MAX} workflows at most`);
  }
  const { accountId, versionedAt: createdAt } = version;
  const workflowId = state.size + 1;
  return [
    WorkflowCreated.of({ accountId, workflowId, name, createdAt }),
    WorkflowVersioned.of({ ...version, workflowId, version: 1 }),
  ];
};

const addVersion = (
  data: NewVersion & { readonly workflowId: number },
  state: WorkflowsState,
): readonly WorkflowEvent[] => {
  const { workflowId, requestId } = data;
  const workflow = state.get(workflowId);
  if (!workflow) return reject('workflow_not_found', `there is no workflow ${workflowId}`);
  if (isMadeBy(requestId)(workflow)) return [];
  const version = workflow.versions.length + 1;
  if (version <= VERSIONS_MAX) return [WorkflowVersioned.of({ ...data, version })];
  const limit = `a workflow has ${VERSIONS_MAX} versions at most`;
  return reject('too_many_workflow_versions', limit);
};

/** The workflows of one account: ids from 1, unique names, versions that never change. */
export const workflowsDecider: Decider<WorkflowCommand, WorkflowsState, WorkflowEvent> = {
  initialState: new Map(),
  decide: ({ type, data }, state) => {
    switch (type) {
      case 'CreateWorkflow':
        return create(data, state);
      case 'AddVersion':
        return addVersion(data, state);
    }
  },
  evolve: (state, { type, data }) => {
    const { workflowId } = data;
    switch (type) {
      case 'WorkflowCreated': {
        const { name, createdAt } = data;
        return new Map(state).set(workflowId, { workflowId, name, createdAt, versions: [] });
      }
      case 'WorkflowVersioned': {
        const workflow = state.get(workflowId);
        if (!workflow) return state;
        const versions = [...workflow.versions, data];
        return new Map(state).set(workflowId, { ...workflow, versions });
      }
    }
  },
};
