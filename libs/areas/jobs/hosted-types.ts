import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  type AnyJobRunner,
  hostedByRunner,
  hostedByTasks,
  type HostedType,
} from '#platform/jobs/hosted-type.js';
import { type AnyJobType, JobTypes } from '#platform/jobs/job-type.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { Tasks } from '#platform/tasks/tasks.port.js';

/**
 * The types whose attempts run in this process: types whose runner is a provider of an area and,
 * where no worker can be reached, types on engines.
 */
@Injectable()
export class HostedTypes {
  constructor(
    private readonly types: JobTypes,
    private readonly tasks: Tasks,
    private readonly facts: ProcessFacts,
    private readonly modules: ModuleRef,
  ) {}

  /** Once the modules of all areas have been built. */
  list(): readonly HostedType[] {
    return this.types.list.flatMap((type) => this.#hosted(type) ?? []);
  }

  #hosted(type: AnyJobType): HostedType | null {
    const { place } = type;
    if (place.on === 'engine') return this.facts.sharesBus ? null : hostedByTasks(type, this.tasks);
    const runner = this.modules.get<AnyJobRunner>(place.runner, { strict: false });
    return hostedByRunner(type, runner);
  }
}
