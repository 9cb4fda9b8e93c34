import { Catch, Controller, type RpcExceptionFilter, type Type, UseFilters } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { type Delivery } from '#platform/bus/bus.port.js';
import {
  cancellationsTopicOf,
  PinnedTaskHeaders,
  pinnedTasksTopicOf,
  tasksTopicOf,
  workersGroupOf,
} from '#platform/tasks/task.protocol.js';
import { type BusPattern } from './bus.server.js';
import { type TaskRunner } from './task-runner.js';

/** Keeps the reason of a dead letter: Nest's filter replaces it by "Internal server error". */
@Catch()
export class RethrowFilter implements RpcExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}

/** By topic. */
type Deliveries = Readonly<Record<string, Delivery>>;

/**
 * A controller for the topics of one engine. Both methods settle a message at once: a gateway
 * offers an unfinished task again itself, so the delivery need not last as long as the run.
 * Cancellations are consumed before tasks, so that no cancellation of a task is missed.
 * @param worker the name of this worker
 */
export const tasksControllerOf = (runner: TaskRunner, worker: string): Type => {
  const { name } = runner.definition;
  const group = workersGroupOf(name);
  const shared: BusPattern = { group, attemptsMax: 1 };
  const own: BusPattern = { group: `${group}.${worker}`, attemptsMax: 1 };

  @Controller()
  @UseFilters(RethrowFilter)
  class TasksController {
    @EventPattern<Deliveries>(cancellationsTopicOf(name), own)
    cancel(@Payload() delivery: Delivery): void {
      runner.cancel(delivery);
    }

    @EventPattern<Deliveries>(tasksTopicOf(name), shared)
    take(@Payload() delivery: Delivery): void {
      runner.take(delivery);
    }
  }
  return TasksController;
};

/** A controller for the tasks that only this worker may run, of any of its engines. */
export const pinnedTasksControllerOf = (runners: readonly TaskRunner[], worker: string): Type => {
  const topic = pinnedTasksTopicOf(worker);

  @Controller()
  @UseFilters(RethrowFilter)
  class PinnedTasksController {
    @EventPattern<Deliveries>(topic, { group: topic, attemptsMax: 1 } satisfies BusPattern)
    take(@Payload() delivery: Delivery): void {
      const { engine } = PinnedTaskHeaders.parse(delivery.headers);
      const runner = runners.find(({ definition }) => definition.name === engine);
      if (!runner) throw new Error(`this worker runs no engine ${engine}`);
      runner.take(delivery);
    }
  }
  return PinnedTasksController;
};
