import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { ProcessRole } from '#platform/runtime/process-role.js';
import { type TaskHosting, Tasks } from '#platform/tasks/tasks.port.js';

/** Prepares tasks in a gateway. Closes rigs, which run tasks, before tasks. */
@Injectable()
export class TasksLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(Tasks) private readonly tasks: TaskHosting,
    private readonly role: ProcessRole,
    // Absent in a process without inference.
    @Optional() @Inject(RIGS) private readonly rigs?: RigRouter,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.role.servesCallers) await this.tasks.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rigs?.close();
    await this.tasks.close();
  }
}
