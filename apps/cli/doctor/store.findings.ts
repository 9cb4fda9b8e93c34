import { type Bus } from '#platform/bus/bus.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas as shippedAreas } from '../../composition/areas.js';
import { type Settings, withoutSecrets } from '../../composition/settings.js';
import { withInstallation } from '../installation.js';
import { type Invocation } from '../invocation.js';
import { eventFindings } from './events.findings.js';
import { examined, failed, type Finding, ok } from './finding.js';

/** The read models, whether they are of this log, its newest events, and the bus. */
export const storeFindings = (
  { readStore: target }: Settings,
  invocation: Invocation,
): Promise<readonly Finding[]> => {
  const where = target.kind === 'sqlite' ? target.file : withoutSecrets(target.url);
  return examined('read models', `${where}: start its server, or correct QUIPU_READ_STORE`, () =>
    withInstallation(invocation, 'exists', async ({ engines }) => {
      const { standing, places } = new Runtime(engines, invocation.parts?.areas ?? shippedAreas);
      const foreign = await standing.compare();
      return [
        await readStoreFinding(engines.readStore, where),
        foreign
          ? failed(
              'standing',
              `${foreign.checkpoint.name} has read events that this log lacks`,
              'find the lost events, or accept their loss: quipu log confirm',
            )
          : ok('standing', 'the log has every event that the read models have read'),
        ...(await eventFindings(engines.eventStore, places, engines.clock)),
        await busFinding(engines.bus),
      ];
    }),
  );
};

const readStoreFinding = async (readStore: ReadStore, where: string): Promise<Finding> => {
  const checkpoints = await readStore.checkpoints();
  return ok('read models', `${where}, ${checkpoints.length} readers`);
};

const busFinding = async (bus: Bus): Promise<Finding> => {
  const { reachable, reason } = await bus.health();
  if (reachable) return ok('bus', 'reachable');
  return failed('bus', reason ?? 'not reachable', 'start its server, or correct QUIPU_BUS');
};
