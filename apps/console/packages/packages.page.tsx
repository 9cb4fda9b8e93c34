import { orDash } from '../shell/facts.js';
import { bytes, instant } from '../shell/figures.js';
import { type ListAnswer, listPage } from '../shell/list.js';
import { type Column } from '../shell/table.js';

interface Package {
  readonly package_uuid: string;
  readonly package_name: string;
  readonly model: string;
  readonly status: string;
  readonly hardware_architecture: string | null;
  readonly checksum_sha256: string | null;
  readonly bytes: number | null;
  readonly ordered_at: string;
  readonly licensed_until: string | null;
}

interface Packages extends ListAnswer {
  readonly packages: readonly Package[];
}

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

export default listPage<Packages, Package>({
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
