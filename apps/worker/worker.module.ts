import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type OperationsSettings } from '../operations/operations-access.js';
import { OperationsModule } from '../operations/operations.module.js';
import { WorkerOperations } from './worker.operations.js';

@Module({})
export class WorkerModule {
  /** @param tasks a controller for the topics of each engine */
  static of(
    tasks: readonly Type[],
    operations: WorkerOperations,
    registry: Registry,
    settings: OperationsSettings,
  ): DynamicModule {
    return {
      module: WorkerModule,
      global: true,
      imports: [
        OperationsModule.of({
          settings,
          providers: [{ provide: WorkerOperations, useValue: operations }],
          readiness: [WorkerOperations],
          metrics: [WorkerOperations],
        }),
      ],
      controllers: [...tasks],
      providers: [{ provide: Registry, useValue: registry }],
      exports: [Registry],
    };
  }
}
