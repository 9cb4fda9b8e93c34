import { describe, expect, it } from '@jest/globals';
import {
  WorkflowRunEnded,
  WorkflowRunForgotten,
  WorkflowRunSettled,
  WorkflowRunStarted,
} from '#events/workflows/workflow-run.events.js';
import {
  KEPT_RUNS_PREFIX,
  openRunsPrefix,
  unsettledWorkflowRuns,
} from './unsettled-runs.projection.js';
import { type ListedRun, runKey, workflowRuns } from './workflow-runs.projection.js';

const AT = '2026-11-22T15:00:00.000Z';
const LATER = '2026-11-22T15:00:10.000Z';
const run = { runId: '2f6c1b7a-0d7e-5c55-9a52-6d1a3f0b4c11', accountId: '7', startedAt: AT };
const blob = { address: 'a'.repeat(64), bytes: 1 };
const plan = { nodes: [], concurrencyMax: 1, timeOutMs: 1 };

const started = WorkflowRunStarted.of({
  ...run,
  workflowId: 3,
  version: 2,
  plan,
  definition: blob,
  inputs: blob,
  startedBy: 'user:7',
  runUntil: LATER,
});
const ended = WorkflowRunEnded.of({ ...run, status: 'failed', endedAt: LATER });
const settled = WorkflowRunSettled.of({
  ...run,
  outcome: 'charged',
  amountMicroUsd: '45',
  settledAt: LATER,
});
const forgotten = WorkflowRunForgotten.of({ ...run, forgottenAt: LATER });

describe('the runs of an account', () => {
  it('show their state and their charge', () => {
    const initial = workflowRuns.initial(runKey(run));
    const states = [started, ended, settled].reduce<readonly ListedRun[]>((all, event) => {
      expect(workflowRuns.keys(event)).toEqual([`7/${AT}/${run.runId}`]);
      const next = workflowRuns.project(event, all.at(-1) ?? initial, runKey(run));
      return next ? [...all, next] : all;
    }, []);
    expect(states).toMatchObject([
      { workflowId: 3, version: 2, status: 'running', endedAt: null, amountMicroUsd: null },
      { status: 'failed', endedAt: LATER, amountMicroUsd: null },
      { status: 'failed', amountMicroUsd: '45' },
    ]);
  });
});

describe('the runs that have work to do', () => {
  const open = `${openRunsPrefix('7')}${run.runId}`;
  const kept = `${KEPT_RUNS_PREFIX}${run.runId}`;
  const { initial, keys, project } = unsettledWorkflowRuns;

  it('are open until they are settled, and kept until they are forgotten', () => {
    expect(open.startsWith(openRunsPrefix())).toBe(true);
    expect([started, settled, forgotten].map(keys)).toEqual([[open], [open, kept], [kept]]);
    expect(project(started, initial(open), open)).toEqual({
      runId: run.runId,
      accountId: '7',
      settledAt: null,
    });
    expect(project(settled, initial(open), open)).toBeNull();
    expect(project(settled, initial(kept), kept)).toEqual({
      runId: run.runId,
      accountId: '7',
      settledAt: LATER,
    });
    expect(project(forgotten, initial(kept), kept)).toBeNull();
  });
});
