import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { type Filter, filtered, Filters } from '../shell/filters.js';
import { OfNow, Places } from '../shell/list.js';
import { query } from '../shell/location.js';
import { type AnswerOf, type QueryOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type Passes = AnswerOf<'/api/v1/space/passes.php'>;
type Pass = Passes['passes'][number];

const FILTERS: readonly Filter<QueryOf<'/api/v1/space/passes.php'>>[] = [
  { name: 'station', field: 'station_id', label: 'Station', initial: '1' },
  { name: 'satellite', field: 'satellite_id', label: 'Satellite', initial: '25338' },
  { name: 'from', label: 'From, UTC' },
  { name: 'to', label: 'To, UTC' },
];

const place = ({ at, azimuth_deg: azimuth }: Pass['culmination']): string =>
  `${instant(at)}, azimuth ${count(azimuth)}°`;

const COLUMNS: readonly Column<Pass>[] = [
  { name: 'Rises', cell: ({ aos }) => orDash(aos, place) },
  { name: 'Highest', cell: ({ culmination }) => place(culmination) },
  { name: 'Sets', cell: ({ los }) => orDash(los, place) },
  { name: 'Elevation, °', isNumber: true, cell: (pass) => count(pass.max_elevation_deg) },
  { name: 'Seconds', isNumber: true, cell: (pass) => count(pass.duration_sec) },
];

const factsOf = ({ station, satellite, ...answer }: Passes): readonly Fact[] => [
  ['Satellite', satellite.name],
  ['Station', station.name],
  ['From, UTC', instant(answer.from)],
  ['To, UTC', instant(answer.to)],
  ['Age of the elements, days', count(answer.element_age_days)],
];

/** The gateway draws both pictures; the table has the figures of the passes. */
const Pictures = ({ from, to, station, satellite }: Passes) => {
  const period = { from, to, satellite_id: String(satellite.satellite_id) };
  const sky = { ...period, station_id: String(station.station_id) };
  return (
    <Facts
      facts={[
        [
          'Sky over the station',
          <img
            key="sky"
            src={routeOf('/api/v1/space/sky_plot.svg', sky)}
            alt={`Sky over ${station.name} with the passes of ${satellite.name}`}
            width="100%"
          />,
        ],
        [
          'Ground track',
          <img
            key="track"
            src={routeOf('/api/v1/space/ground_track.svg', period)}
            alt={`Ground track of ${satellite.name}`}
            width="100%"
          />,
        ],
      ]}
    />
  );
};

const PassesPage = () => {
  const state = usePageRead(() =>
    routeOf('/api/v1/space/passes.php', {
      ...filtered(FILTERS),
      page: query.value.get('page'),
    }),
  );
  return (
    <>
      <h1>Passes</h1>
      <OfNow />
      <Filters filters={FILTERS} />
      <Answered state={state}>
        {(answer) => (
          <>
            {answer.warning !== null && <p class="failure">{answer.warning}</p>}
            <Facts facts={factsOf(answer)} />
            {answer.passes.length === 0 ? (
              <p>No pass in this time. Ask for more days, or for another satellite.</p>
            ) : (
              <>
                <Table
                  label="Passes"
                  columns={COLUMNS}
                  rows={answer.passes}
                  keyOf={(pass) => pass.culmination.at}
                />
                <Places answer={answer} isTimed={false} />
                <Pictures {...answer} />
              </>
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default PassesPage;
