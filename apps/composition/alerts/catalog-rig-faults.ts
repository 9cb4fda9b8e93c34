import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { RigFaults, type RigFault } from '#areas/alerts/rig-faults.port.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { connectionFailure } from '../inference/rig-connection.js';

/** Connections at once. */
const PROBES_MAX = 16;

/** The breakers of this process, and for a server whose breaker is closed a connection to it. */
export class CatalogRigFaults extends RigFaults {
  constructor(
    private readonly catalog: Pick<Catalog, 'rigs'>,
    private readonly router: Pick<RigRouter, 'status'>,
    private readonly probe: typeof connectionFailure = connectionFailure,
  ) {
    super();
  }

  async now(signal: AbortSignal): Promise<readonly RigFault[]> {
    const rigs = this.catalog.rigs();
    const breakers = new Map(this.router.status().map(({ name, breaker }) => [name, breaker]));
    const faults: RigFault[] = [];
    for (let next = 0; next < rigs.length && !signal.aborted; next += PROBES_MAX) {
      const some = rigs.slice(next, next + PROBES_MAX);
      const found = await Promise.all(
        some.map((rig) => this.#faultOf(rig, breakers.get(rig.name) ?? 'closed')),
      );
      faults.push(...found.flat());
    }
    return faults;
  }

  async #faultOf(rig: CatalogRig, breaker: string): Promise<readonly RigFault[]> {
    if (breaker !== 'closed') return [{ rig: rig.name, cause: 'breaker_open' }];
    if (rig.kind === 'embedded' || (await this.probe(rig)) === null) return [];
    return [{ rig: rig.name, cause: 'unreachable' }];
  }
}
