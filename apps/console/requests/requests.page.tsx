import { count, instant, usd } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { type Filter, filtered, Filters } from '../shell/filters.js';
import { addressOf, addressWith, asOf, query } from '../shell/location.js';
import { type AnswerOf, type QueryOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type AccountRequest = AnswerOf<'/api/v1/requests'>['requests'][number];

const FILTERS: readonly Filter<QueryOf<'/api/v1/requests'>>[] = [
  { name: 'model', label: 'Model' },
  { name: 'rig', label: 'Rig' },
  { name: 'tag', label: 'Tag, as name=value' },
  { name: 'user', label: 'End user' },
  { name: 'from', label: 'Ended from, UTC' },
  { name: 'to', label: 'Ended before, UTC' },
  { name: 'status', label: 'Status', choices: ['charged', 'released', 'expired'] },
];

const COLUMNS: readonly Column<AccountRequest>[] = [
  {
    name: 'Ended, UTC',
    cell: ({ ended_at: endedAt }) => <time dateTime={endedAt}>{instant(endedAt)}</time>,
  },
  {
    name: 'Request',
    cell: ({ id }) => (
      <a data-page href={addressOf(`/requests/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Product', cell: ({ product }) => product },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Cost', isNumber: true, cell: (request) => usd(request.cost_usd) },
  {
    name: 'First byte, ms',
    isNumber: true,
    cell: ({ first_byte_ms: ms }) => (ms === null ? '–' : count(ms)),
  },
  { name: 'Total, ms', isNumber: true, cell: (request) => count(request.total_ms) },
];

const RequestsPageView = () => {
  const state = usePageRead(() =>
    routeOf('/api/v1/requests', {
      ...filtered(FILTERS),
      after: query.value.get('after'),
      asOf: asOf.value,
    }),
  );
  return (
    <>
      <h1>Requests</h1>
      <Filters filters={FILTERS} />
      <p>
        <a data-page href={addressOf('/rejections')}>
          Requests that the ledger rejected
        </a>
      </p>
      <Answered state={state}>
        {({ requests, next_after: after, position }) => (
          <>
            {requests.length === 0 ? (
              <p>
                No request here. Paid requests are listed when their hold ends: send one to{' '}
                <code>/v1/chat/completions</code>.
              </p>
            ) : (
              <Table label="Requests" columns={COLUMNS} rows={requests} keyOf={({ id }) => id} />
            )}
            <p class="pages">
              {query.value.has('after') && (
                <a data-page href={addressWith({})}>
                  First page
                </a>
              )}
              {after !== null && (
                <a data-page href={addressWith({ after, asOf: asOf.value ?? position })}>
                  Next page
                </a>
              )}
            </p>
          </>
        )}
      </Answered>
    </>
  );
};

export default RequestsPageView;
