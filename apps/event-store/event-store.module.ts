import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type OperationsSettings } from '../operations/operations-access.js';
import { OperationsModule } from '../operations/operations.module.js';
import { EventStoreOperations } from './event-store.operations.js';

/** Health and metrics of a process that only serves a log. */
@Module({})
export class EventStoreModule {
  static of(
    operations: EventStoreOperations,
    registry: Registry,
    settings: OperationsSettings,
  ): DynamicModule {
    return {
      module: EventStoreModule,
      global: true,
      imports: [
        OperationsModule.of({
          settings,
          providers: [{ provide: EventStoreOperations, useValue: operations }],
          readiness: [EventStoreOperations],
          metrics: [EventStoreOperations],
        }),
      ],
      providers: [{ provide: Registry, useValue: registry }],
      exports: [Registry],
    };
  }
}
