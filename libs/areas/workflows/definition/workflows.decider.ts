import {
  WorkflowCreated,
  type WorkflowEvent,
  WorkflowVersioned,
} from '#events/workflows/workflow.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../workflows.errors.js';

export const WORKFLOWS_MAX = 500;
export const VERSIONS_MAX = 1_000;
/** Of all workflows of an account together: their definitions are stored free of charge. */
export const ACCOUNT_VERSIONS_MAX = 2_000;

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

/** A first version under a name, or a further version of a workflow. */
export type VersionTarget = { readonly name: string } | { readonly workflowId: number };

/**
 * Whether the request makes a version; false for one that has made it already.
 * @throws DomainError
 */
export const isNewVersion = (
  target: VersionTarget,
  requestId: string,
  state: WorkflowsState,
): boolean => {
  const all = [...state.values()];
  if (all.some(isMadeBy(requestId))) return false;
  if ('name' in target) demandName(target.name, all);
  else demandWorkflow(state.get(target.workflowId), target.workflowId);
  const versions = all.reduce((sum, one) => sum + one.versions.length, 0);
  if (versions < ACCOUNT_VERSIONS_MAX) return true;
  const limit = `an account has ${ACCOUNT_VERSIONS_MAX} versions of workflows at most`;
  return reject('too_many_workflow_versions', limit);
};

const demandName = (name: string, all: readonly Workflow[]): void => {
  if (all.some((one) => one.name === name)) {
    reject('workflow_name_taken', `there is a workflow ${name}; add a version to it`);
  }
  if (all.length >= WORKFLOWS_MAX) {
    reject('too_many_workflows', `an account has ${WORKFLOWS_MAX} workflows at most`);
  }
};

const demandWorkflow = (workflow: Workflow | undefined, workflowId: number): void => {
  if (!workflow) return reject('workflow_not_found', `there is no workflow ${workflowId}`);
  if (workflow.versions.length < VERSIONS_MAX) return;
  const limit = `a workflow has ${VERSIONS_MAX} versions at most`;
  reject('too_many_workflow_versions', limit);
};

const create = (
  { name, ...version }: NewVersion & { readonly name: string },
  state: WorkflowsState,
): readonly WorkflowEvent[] => {
  if (!isNewVersion({ name }, version.requestId, state)) return [];
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
  if (!isNewVersion({ workflowId }, requestId, state)) return [];
  const version = (state.get(workflowId)?.versions.length ?? 0) + 1;
  return [WorkflowVersioned.of({ ...data, version })];
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
