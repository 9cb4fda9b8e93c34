import { orDash } from '../shell/facts.js';
import { bytes, instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Bundle = AnswerOf<'/api/v1/dtn/bundles'>['bundles'][number];

const COLUMNS: readonly Column<Bundle>[] = [
  { name: 'Accepted, UTC', cell: (bundle) => instant(bundle.accepted_at) },
  {
    name: 'Bundle',
    cell: ({ bundle_id: id }) => (
      <a data-page href={addressOf(`/bundles/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Status', cell: ({ status }) => status.replaceAll('_', ' ') },
  { name: 'To', cell: (bundle) => bundle.destination_eid },
  { name: 'Next hop', cell: (bundle) => bundle.next_hop ?? '–' },
  { name: 'Window, UTC', cell: (bundle) => orDash(bundle.est_ground_window_utc, instant) },
  { name: 'Priority', cell: ({ priority }) => priority },
  { name: 'Size', isNumber: true, cell: (bundle) => bytes(bundle.payload_bytes) },
];

export default listPage({
  title: 'Bundles',
  route: '/api/v1/dtn/bundles',
  rowsOf: ({ bundles }) => bundles,
  keyOf: (bundle) => bundle.bundle_id,
  columns: COLUMNS,
  empty: (
    <>
      No bundle is under way. <code>POST /api/v1/dtn/bundle.php</code> sends one.
    </>
  ),
});
