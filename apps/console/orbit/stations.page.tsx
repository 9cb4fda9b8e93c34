import { orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Station = AnswerOf<'/api/v1/space/stations'>['stations'][number];

const COLUMNS: readonly Column<Station>[] = [
  { name: 'Id', isNumber: true, cell: (station) => station.station_id },
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Latitude, °', isNumber: true, cell: (station) => station.latitude_deg },
  { name: 'Longitude, °', isNumber: true, cell: (station) => station.longitude_deg },
  { name: 'Height, m', isNumber: true, cell: (station) => count(station.height_m) },
  { name: 'Least elevation, °', isNumber: true, cell: (station) => station.min_elevation_deg },
  { name: 'Registered, UTC', cell: (station) => orDash(station.registered_at, instant) },
];

export default listPage({
  title: 'Stations',
  route: '/api/v1/space/stations',
  rowsOf: ({ stations, built_in: builtIn }) => [...stations, ...builtIn],
  keyOf: (station) => station.station_id,
  columns: COLUMNS,
  empty: (
    <>
      There is no station. <code>POST /api/v1/space/stations</code> registers one.
    </>
  ),
});
