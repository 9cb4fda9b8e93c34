import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { StationPasses } from '#areas/dtn/station-passes.port.js';
import { PassesOfStations } from './station-passes.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: StationPasses,
    inject: [QueryBus],
    useFactory: (queries: QueryBus) => new PassesOfStations(queries),
  },
];
