import { type Provider } from '@nestjs/common';
import { RigFaults } from '#areas/alerts/rig-faults.port.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { CatalogRigFaults } from './catalog-rig-faults.js';

export const bindings: readonly Provider[] = [
  {
    provide: RigFaults,
    inject: [Catalog, RIGS],
    useFactory: (catalog: Catalog, router: RigRouter) => new CatalogRigFaults(catalog, router),
  },
];
