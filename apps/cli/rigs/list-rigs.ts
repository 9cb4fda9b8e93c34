import { WorkerRigsQuery } from '#areas/fleet/worker-rigs.queries.js';
import { RigStandingsQuery } from '#areas/rigs/certifications.queries.js';
import { stateOf, type WorkerRig, workerRigs } from '#projections/fleet/worker-rigs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { catalogRigs } from './catalog-rigs.js';
import { certificationJson, RIG_NEEDS } from './certification-output.js';

const NEEDS = {
  ...RIG_NEEDS,
  areas: [...RIG_NEEDS.areas, 'fleet'],
  projections: [...RIG_NEEDS.projections, workerRigs],
} as const;

/** The health of a rig of the catalog is that of a server; a command knows none. */
export const listRigs = async (
  _options: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rigs = await catalogRigs(invocation);
  const query = new RigStandingsQuery(rigs.map(({ name }) => name));
  const { standings, workers } = await withQuipu(invocation, NEEDS, async ({ queries }) => ({
    standings: await queries.execute(query),
    workers: await queries.execute(new WorkerRigsQuery()),
  }));
  const ofCatalog = standings.map(({ rig: name, badge, status, certification }) => {
    const rig = rigs.find((one) => one.name === name);
    return {
      name,
      source: 'catalog',
      kind: rig?.kind,
      region: rig?.region ?? null,
      state: null,
      models: rig?.models ?? [],
      badge,
      status,
      certification: certification && certificationJson(certification),
    };
  });
  const listed = [...ofCatalog, ...workers.map(workerRigOf)];
  const rows = listed.map(({ name, kind, region, state, models, badge, status, certification }) => [
    name,
    kind ?? '',
    region ?? '-',
    state ?? '-',
    `${models.length}`,
    badge ?? '-',
    status,
    certification?.expires_at ?? '-',
  ]);
  const header = ['rig', 'kind', 'region', 'state', 'models', 'badge', 'status', 'expires'];
  return { json: { rigs: listed }, text: inColumns([header, ...rows]) };
};

const workerRigOf = (rig: WorkerRig) => ({
  name: rig.rig,
  source: 'worker',
  kind: 'worker' as const,
  region: rig.description.region,
  state: stateOf(rig),
  models: rig.description.engines.flatMap(({ models }) => models.map(({ name }) => name)),
  badge: null,
  status: 'never_certified' as const,
  certification: null,
});
