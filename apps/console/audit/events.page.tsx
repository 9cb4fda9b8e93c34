import { instant } from '../shell/figures.js';
import { type Filter } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { addressOf, addressWith } from '../shell/location.js';
import { type AnswerOf, type QueryOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type LogEvent = LogEvents['events'][number];
type LogEvents = AnswerOf<'/audit/events'>;

const NEWEST = 20;

const FILTERS: readonly Filter<QueryOf<'/audit/events'>>[] = [
  { name: 'stream', label: 'Streams that begin with' },
  { name: 'type', label: 'Types that begin with' },
];

const COLUMNS: readonly Column<LogEvent>[] = [
  {
    name: 'Position',
    isNumber: true,
    cell: ({ position }) => (
      <a data-page href={addressOf(`/events/${position}`)}>
        {position}
      </a>
    ),
  },
  { name: 'Recorded, UTC', cell: (event) => instant(event.recorded_at) },
  {
    name: 'Type',
    cell: ({ type }) => (
      <a data-page href={addressWith({ type, stream: '' })}>
        {type}
      </a>
    ),
  },
  {
    name: 'Stream',
    cell: ({ stream }) => (
      <a data-page href={addressWith({ stream, type: '' })}>
        {stream}
      </a>
    ),
  },
  { name: 'Revision', isNumber: true, cell: ({ revision }) => revision },
  { name: 'Actor', cell: ({ actor }) => actor },
];

const Newest = ({ position }: LogEvents) => (
  <p class="pages">
    <a data-page href={addressWith({ after: String(Math.max(0, Number(position) - NEWEST)) })}>
      Newest events
    </a>
    <span class="quiet">{position} events are published.</span>
  </p>
);

export default listPage({
  title: 'Events',
  route: '/audit/events',
  filters: FILTERS,
  rowsOf: ({ events }) => events,
  keyOf: ({ position }) => position,
  columns: COLUMNS,
  empty: 'No event here. Shorten the beginning of the stream or of the type.',
  above: (answer) => <Newest {...answer} />,
});
