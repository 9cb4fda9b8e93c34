import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';

/**
 * Follows the heartbeats of workers where callers are served, and where jobs run, which certify the
 * rigs of workers: no other process needs them.
 */
@Injectable()
export class WorkerDirectoryLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly directory: WorkerDirectory,
    private readonly role: ProcessRole,
    private readonly facts: ProcessFacts,
  ) {}

  onApplicationBootstrap(): void {
    const isNeeded = this.role.servesCallers || this.facts.hostsJobs;
    if (isNeeded && this.facts.sharesBus) this.directory.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.directory.stop();
  }
}
