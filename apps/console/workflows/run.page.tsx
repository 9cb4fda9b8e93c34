import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant, usdOfMicro } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type Column, Table } from '../shell/table.js';
import { type FoundWorkflow, graphOf } from './definition.js';
import { Graph } from './graph.js';

interface NodeResult {
  readonly status: string;
  readonly kind: string;
  readonly attempts: number;
  readonly elapsed_ms: number | null;
  readonly message?: string | null;
  readonly output?: unknown;
}

interface FoundRun {
  readonly position?: null;
  readonly run_id: string;
  readonly workflow_id: number;
  readonly version: number;
  readonly status: string;
  readonly elapsed_ms: number;
  readonly node_results: Readonly<Record<string, NodeResult>>;
  readonly critical_path: readonly string[];
  readonly critical_path_ms: number;
  readonly amount_micro_usd: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
}

type NamedResult = NodeResult & { readonly name: string };

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
  const workflow = useRead<FoundWorkflow>(() =>
    routeOf(`/api/v1/workflows/${run.workflow_id}`, { version: String(run.version) }),
  );
  return (
    <Answered state={workflow}>
      {({ definition }) => (
        <Graph
          nodes={graphOf(definition)}
          statusOf={(name) => run.node_results[name]?.status ?? ''}
        />
      )}
    </Answered>
  );
};

const RunPage = ({ parameters }: PageProps) => {
  const id = encodeURIComponent(parameters['id'] ?? '');
  const state = usePageRead<FoundRun>(() => `/api/v1/workflows/runs/${id}`);
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
