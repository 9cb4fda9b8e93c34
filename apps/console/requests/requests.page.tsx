import { count, instant, usd } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { addressOf, addressWith, asOf, goTo, query } from '../shell/location.js';
import { type Column, Table } from '../shell/table.js';
import { type AccountRequest } from './account-request.js';

interface RequestsPage {
  readonly position: string;
  readonly requests: readonly AccountRequest[];
  readonly next_after: string | null;
}

/** The filters of the list, which are fields of the route and of the address. */
const FILTERS = [
  { name: 'model', label: 'Model' },
  { name: 'rig', label: 'Rig' },
  { name: 'tag', label: 'Tag, as name=value' },
  { name: 'user', label: 'End user' },
  { name: 'from', label: 'Ended from, UTC' },
  { name: 'to', label: 'Ended before, UTC' },
] as const;
const STATUSES = ['charged', 'released', 'expired'];

const Filters = () => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = [...new FormData(event.currentTarget)].map(
      ([name, value]) => [name, typeof value === 'string' ? value.trim() : ''] as const,
    );
    goTo(addressWith(Object.fromEntries(fields)));
  };
  return (
    <form class="filters" onSubmit={submit} key={[...query.value].join('\n')}>
      {FILTERS.map(({ name, label }) => (
        <label key={name}>
          {label}
          <input name={name} defaultValue={query.value.get(name) ?? ''} maxLength={512} />
        </label>
      ))}
      <label>
        Status
        <select name="status" defaultValue={query.value.get('status') ?? ''}>
          <option value="">any</option>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </label>
      <button type="submit">Filter</button>
    </form>
  );
};

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
  const state = usePageRead<RequestsPage>(() =>
    routeOf('/api/v1/requests', {
      ...Object.fromEntries(FILTERS.map(({ name }) => [name, query.value.get(name)])),
      status: query.value.get('status'),
      after: query.value.get('after'),
      asOf: asOf.value,
    }),
  );
  return (
    <>
      <h1>Requests</h1>
      <Filters />
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
