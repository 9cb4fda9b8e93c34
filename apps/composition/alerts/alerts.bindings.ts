import { type Provider } from '@nestjs/common';
import { RigFaults } from '#areas/alerts/rig-faults.port.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { CatalogRigFaults } from './catalog-rig-faults.js';

const NO_RIGS: RigFaults = { now: () => Promise.resolve([]) };

export const bindings: readonly Provider[] = [
  {
    provide: RigFaults,
    // The command line, which compares no rule, composes neither.
    inject: [
      { token: Catalog, optional: true },
      { token: RIGS, optional: true },
    ],
    useFactory: (catalog?: Catalog, router?: RigRouter): RigFaults =>
      catalog && router ? new CatalogRigFaults(catalog, router) : NO_RIGS,
  },
];
