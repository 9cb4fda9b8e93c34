import { orDash } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Satellite = AnswerOf<'/api/v1/space/satellites'>['satellites'][number];

const COLUMNS: readonly Column<Satellite>[] = [
  {
    name: 'Satellite',
    cell: ({ satellite_id: id, name }) => (
      <a data-page href={addressOf('/passes', { satellite: String(id) })}>
        {name}
      </a>
    ),
  },
  { name: 'Catalog number', isNumber: true, cell: (satellite) => satellite.satellite_id },
  { name: 'Elements of, UTC', cell: (satellite) => instant(satellite.element_epoch) },
  { name: 'From', cell: ({ source }) => source },
  { name: 'Imported, UTC', cell: (satellite) => orDash(satellite.imported_at, instant) },
];

export default listPage({
  title: 'Satellites',
  route: '/api/v1/space/satellites',
  rowsOf: ({ satellites, built_in: builtIn }) => [...satellites, ...builtIn],
  keyOf: (satellite) => satellite.satellite_id,
  columns: COLUMNS,
  empty: (
    <>
      There is no satellite. <code>POST /api/v1/space/elements</code> imports its elements.
    </>
  ),
});
