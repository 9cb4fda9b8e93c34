import { orDash } from '../shell/facts.js';
import { bytes, instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Packages = AnswerOf<'/api/v1/scif/packages'>;
type Package = Packages['packages'][number];

const COLUMNS: readonly Column<Package>[] = [
  { name: 'Ordered, UTC', cell: (one) => instant(one.ordered_at) },
  { name: 'Package', cell: (one) => one.package_name },
  { name: 'Model', cell: ({ model }) => model },
  { name: 'For', cell: (one) => one.hardware_architecture ?? 'any' },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Size', isNumber: true, cell: (one) => orDash(one.bytes, bytes) },
  { name: 'SHA-256', cell: (one) => <code>{one.checksum_sha256 ?? '–'}</code> },
  { name: 'Licensed until, UTC', cell: (one) => orDash(one.licensed_until, instant) },
];

export default listPage({
  title: 'Packages',
  route: '/api/v1/scif/packages',
  rowsOf: ({ packages }) => packages,
  keyOf: (one) => one.package_uuid,
  columns: COLUMNS,
  empty: (
    <>
      No package was ordered. <code>POST /api/v1/scif/package.php</code> seals a model for machines
      without a network.
    </>
  ),
});
