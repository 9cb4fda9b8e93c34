import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { RoutingModes } from '#areas/inference/routing-modes.js';
import { SwarmModels } from '#areas/swarm/swarm-models.port.js';
import { CatalogSwarmModels } from './swarm-models.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: SwarmModels,
    inject: [Catalog, RIGS, RoutingModes],
    useFactory: (catalog: Catalog, router: RigRouter, modes: RoutingModes) =>
      new CatalogSwarmModels(catalog, router, modes),
  },
];
