import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { JobTypes } from '#platform/jobs/job-type.js';
import { Products } from '#platform/ledger/product.js';
import { type Runtime } from './runtime.js';
import {
  BUS,
  CLOCK,
  CODEC,
  EVENT_STORE,
  LOG_CHAIN,
  LOG_PLACES,
  LOGGER,
  PROJECTIONS,
  READ_STORE,
  SNAPSHOTS,
} from './tokens.js';

/** Gives every area the platform by token. Global, so that an area's module imports nothing. */
@Module({})
export class PlatformModule {
  static of(runtime: Runtime): DynamicModule {
    const { eventStore, readStore, bus, clock, logger } = runtime.engines;
    const values: readonly (readonly [InjectionToken, unknown])[] = [
      [EVENT_STORE, eventStore],
      [LOG_CHAIN, runtime.chain],
      [READ_STORE, readStore],
      [BUS, bus],
      [CLOCK, clock],
      [LOGGER, logger],
      [CODEC, runtime.codec],
      [SNAPSHOTS, runtime.snapshots],
      [LOG_PLACES, runtime.places],
      [PROJECTIONS, runtime.projections],
      [Products, runtime.products],
      [JobTypes, runtime.jobTypes],
    ];
    const providers = values.map(([provide, useValue]) => ({ provide, useValue }));
    return {
      module: PlatformModule,
      global: true,
      imports: [CqrsModule.forRoot()],
      providers,
      exports: [...values.map(([token]) => token), CqrsModule],
    };
  }
}
