import { WorkerRigsQuery } from '#areas/fleet/worker-rigs.queries.js';
import { RigStandingsQuery } from '#areas/rigs/certifications.queries.js';
import { stateOf, type WorkerRig } from '#projections/fleet/worker-rigs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { type CatalogFileRig, catalogRigs } from './catalog-rigs.js';
import { certificationJson, RIG_NEEDS } from './certification-output.js';

/** The health of a rig of the catalog is known to a server; a command knows none. */
export const listRigs = async (
  _options: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rigs = await catalogRigs(invocation);
  const found = await withQuipu(invocation, RIG_NEEDS, async ({ queries }) => {
    const workers = await queries.execute(new WorkerRigsQuery());
    const listed = [...rigs.map(catalogRigOf), ...workers.map(workerRigOf)];
    const standings = await queries.execute(new RigStandingsQuery(listed));
    return listed.map((rig, index) => ({ rig, standing: standings[index] }));
  });
  const listed = found.map(({ rig: { description: _, ...rig }, standing }) => ({
    ...rig,
    badge: standing?.badge ?? null,
    status: standing?.status ?? 'never_certified',
    certification: standing?.certification ? certificationJson(standing.certification) : null,
  }));
  const rows = listed.map(({ name, kind, region, state, models, badge, status, certification }) => [
    name,
    kind,
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

const catalogRigOf = (rig: CatalogFileRig) => ({
  name: rig.name,
  source: 'catalog',
  kind: rig.kind,
  region: rig.region,
  state: null,
  models: rig.models,
  description: null,
});

const workerRigOf = (rig: WorkerRig) => ({
  name: rig.rig,
  source: 'worker',
  kind: 'worker' as const,
  region: rig.description.region,
  state: stateOf(rig),
  models: rig.description.engines.flatMap(({ models }) => models.map(({ name }) => name)),
  description: rig.description,
});
