import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant, usdOfMicro } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { WriteDialog } from '../shell/write-form.js';
import { Graph } from './graph.js';

type FoundRun = AnswerOf<'/api/v1/workflows/runs/{id}'>;
type NamedResult = FoundRun['node_results'][string] & { readonly name: string };

const factsOf = (run: FoundRun): readonly Fact[] => [
  ['Status', run.status],
  [
    'Workflow',
    <a
      key="workflow"
      data-page
      href={addressOf(`/workflows/${run.workflow_id}`, { version: String(run.version) })}
    >
      {run.workflow_id}, version {run.version}
    </a>,
  ],
  ['Charged', orDash(run.amount_micro_usd, usdOfMicro)],
  ['In all, ms', count(run.elapsed_ms)],
  ['Longest path', `${run.critical_path.join(' → ') || '–'}: ${count(run.critical_path_ms)} ms`],
  ['Started, UTC', instant(run.started_at)],
  ['Ended, UTC', orDash(run.ended_at, instant)],
];

const COLUMNS: readonly Column<NamedResult>[] = [
  { name: 'Node', cell: ({ name }) => name },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { name: 'Time, ms', isNumber: true, cell: (node) => orDash(node.elapsed_ms, count) },
  { name: 'Failure', cell: ({ message }) => message ?? '–' },
  {
    name: 'Output',
    cell: ({ output }) => (output == null ? '–' : <code>{JSON.stringify(output)}</code>),
  },
];

/** The graph of the version that runs, with the status of each node. */
const RunGraph = ({ run }: { readonly run: FoundRun }) => {
  const workflow = useRead(() =>
    routeOf('/api/v1/workflows/{id}', { id: run.workflow_id, version: String(run.version) }),
  );
  return (
    <Answered state={workflow}>
      {({ definition }) => (
        <Graph nodes={definition.nodes} statusOf={(name) => run.node_results[name]?.status ?? ''} />
      )}
    </Answered>
  );
};

const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

/** The decisions that the run waits for, and its end. */
const Decisions = ({ run }: { readonly run: FoundRun }) => {
  if (ENDED.has(run.status)) return null;
  const { run_id: id } = run;
  const waiting = Object.entries(run.node_results).filter(
    ([, { kind, status }]) => kind === 'approval' && status === 'running',
  );
  return (
    <div class="buttons">
      {waiting.flatMap(([name]) =>
        [true, false].map((approved) => (
          <WriteDialog
            key={`${name} ${String(approved)}`}
            opens={`${approved ? 'Approve' : 'Reject'} ${name}`}
            explains={
              approved
                ? 'The node succeeds, and the nodes after it run and are charged.'
                : 'The node fails, and with it the nodes that need it.'
            }
            label={approved ? 'Approve' : 'Reject'}
            route={routeOf('/api/v1/workflows/runs/{id}/approvals/{node}', { id, node: name })}
            bodyOf={() => ({ approved })}
          />
        )),
      )}
      <WriteDialog
        opens="Cancel the run"
        explains="Nodes that have not ended are cancelled. Accepted calls are charged."
        label="Cancel the run"
        route={routeOf('/api/v1/workflows/runs/{id}/cancel', { id })}
      />
    </div>
  );
};

const RunPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() => routeOf('/api/v1/workflows/runs/{id}', { id }));
  return (
    <>
      <h1>
        Run <code>{parameters['id']}</code>
      </h1>
      <OfNow />
      <Answered state={state}>
        {(run) => (
          <>
            <Facts facts={factsOf(run)} />
            <Decisions run={run} />
            <h2>Graph</h2>
            <RunGraph run={run} />
            <Table
              label="Nodes"
              columns={COLUMNS}
              rows={Object.entries(run.node_results).map(([name, node]) => ({ ...node, name }))}
              keyOf={({ name }) => name}
            />
          </>
        )}
      </Answered>
    </>
  );
};

export default RunPage;
