import { RigStandingsQuery } from '#areas/rigs/certifications.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { catalogRigs } from './catalog-rigs.js';
import { certificationJson, RIG_NEEDS } from './certification-output.js';

export const listRigs = async (
  _options: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rigs = await catalogRigs(invocation);
  const query = new RigStandingsQuery(rigs.map(({ name }) => name));
  const standings = await withQuipu(invocation, RIG_NEEDS, ({ queries }) => queries.execute(query));
  const listed = standings.map(({ rig: name, badge, status, certification }) => {
    const rig = rigs.find((one) => one.name === name);
    return {
      name,
      kind: rig?.kind,
      models: rig?.models ?? [],
      badge,
      status,
      certification: certification && certificationJson(certification),
    };
  });
  const rows = listed.map(({ name, kind, models, badge, status, certification }) => [
    name,
    kind ?? '',
    `${models.length}`,
    badge ?? '-',
    status,
    certification?.expires_at ?? '-',
  ]);
  return {
    json: { rigs: listed },
    text: inColumns([['rig', 'kind', 'models', 'badge', 'status', 'expires'], ...rows]),
  };
};
