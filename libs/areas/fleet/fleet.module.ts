import { Module } from '@nestjs/common';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { TASK_KEY_PURPOSE, TaskSeal } from '#platform/tasks/task.seal.js';
import { ChangeRigHandler } from './change-rig.handler.js';
import { FleetOperations } from './fleet.operations.js';
import { FleetRegistrar } from './fleet-registrar.js';
import { FLEET_TIMES, fleetTimes } from './fleet-times.js';
import { WorkerRigHandler, WorkerRigsHandler } from './worker-rigs.queries.js';

@Module({
  providers: [
    { provide: FLEET_TIMES, useValue: fleetTimes },
    {
      provide: TaskSeal,
      inject: [SECRETS],
      useFactory: (secrets: Secrets) => new TaskSeal(secrets.messageKey(TASK_KEY_PURPOSE)),
    },
    ChangeRigHandler,
    WorkerRigsHandler,
    WorkerRigHandler,
    FleetRegistrar,
    FleetOperations,
  ],
  exports: [FleetRegistrar, FleetOperations],
})
export class FleetModule {}
