import { Answered, usePageRead } from '../shell/answer.js';
import { OfNow } from '../shell/list.js';
import { addressWith, query } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { Graph } from './graph.js';

type DefinitionNode = AnswerOf<'/api/v1/workflows/{id}'>['definition']['nodes'][number];

const COLUMNS: readonly Column<DefinitionNode>[] = [
  { name: 'Node', cell: ({ name }) => name },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'After', cell: ({ after }) => after.join(', ') || '–' },
  { name: 'Parameters', cell: ({ parameters }) => <code>{JSON.stringify(parameters)}</code> },
];

const WorkflowPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() =>
    routeOf('/api/v1/workflows/{id}', { id, version: query.value.get('version') }),
  );
  return (
    <>
      <h1>Workflow {parameters['id']}</h1>
      <OfNow />
      <Answered state={state}>
        {({ name, version, definition }) => (
          <>
            <h2>
              {name}, version {version}
            </h2>
            <p>{definition.description}</p>
            {version > 1 && (
              <p>
                <a data-page href={addressWith({ version: String(version - 1) })}>
                  The version before
                </a>
              </p>
            )}
            <Graph nodes={definition.nodes} />
            <Table
              label="Nodes"
              columns={COLUMNS}
              rows={definition.nodes}
              keyOf={(node) => node.name}
            />
          </>
        )}
      </Answered>
    </>
  );
};

export default WorkflowPage;
