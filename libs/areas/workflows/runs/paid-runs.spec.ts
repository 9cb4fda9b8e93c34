import { type WorkflowRunEvent } from '#events/workflows/workflow-run.events.js';
import {
  DecidedState,
  paidProcessContract,
} from '#platform/ledger/paid-work/paid-process.contract.js';
import { RunFunds } from './run-funds.js';
import { RunSettlement } from './run-settlement.js';
import { type WorkflowRunCommand, workflowRunDecider } from './workflow-run.decider.js';
import { AT, began, ended, funded, node, over, RUN, started } from './workflow-run.fixture.js';
import { type RunState, type StartedRun } from './workflow-run.state.js';
import { type WorkflowStreams } from './workflow-streams.js';

const running = [started(node('a')), funded('a', 5), began('a')];
const [line] = funded('a', 5).data.lines;
if (!line) throw new Error('a run without a hold');

const used = { used: [{ meter: 'knots', quantity: 3, rig: 'loom' }] };

paidProcessContract('workflow runs', {
  hold: { holdId: RUN, lines: [line] },
  now: AT,
  open: (processes, clock) => {
    const openRun = (...facts: readonly WorkflowRunEvent[]) => {
      const decided = new DecidedState<WorkflowRunCommand, RunState, WorkflowRunEvent>(
        workflowRunDecider,
        facts,
      );
      const onRun = async (command: WorkflowRunCommand) => (await decided.run(command)).state;
      const streams = { onRun } as unknown as WorkflowStreams;
      return { run: decided.state as StartedRun, streams };
    };
    return {
      extend: () => {
        const { run, streams } = openRun(...running);
        const need = { lines: [{ ...line, quantity: 2 }], rateCardVersion: 1 };
        return new RunFunds(processes, streams, clock).add(run, 'a', need);
      },
      end: (status) => {
        const of = status === 'completed' ? ended('a', 'succeeded', used) : ended('a', 'failed');
        const { run, streams } = openRun(...running, of, over(status));
        return new RunSettlement(processes, streams, clock).settle(run);
      },
    };
  },
});
