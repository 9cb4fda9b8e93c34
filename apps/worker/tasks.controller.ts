import { Catch, Controller, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { CANCELLATIONS_TOPIC, TASKS_TOPIC } from '#areas/inference/rigs/workers/worker.protocol.js';
import { type Delivery } from '#platform/bus/bus.port.js';
import { type BusPattern } from './bus.server.js';
import { TaskRunner } from './task-runner.js';

/** Nest's own filter says "Internal server error", and a dead letter would be filed under that. */
@Catch()
export class RethrowFilter implements RpcExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}

const SHARED: BusPattern = { group: 'shared', attemptsMax: 1 };
const EACH: BusPattern = { group: 'each', attemptsMax: 1 };

/**
 * Both methods take a message and are done with it: the gateway that waits for a task offers it
 * again by itself, so a broker need not keep a place for as long as a model talks. Topics are joined
 * in this order, so no task is taken whose cancellation would not be heard.
 */
@Controller()
@UseFilters(RethrowFilter)
export class TasksController {
  constructor(private readonly runner: TaskRunner) {}

  @EventPattern(CANCELLATIONS_TOPIC, EACH)
  cancel(@Payload() delivery: Delivery): void {
    this.runner.cancel(delivery);
  }

  @EventPattern(TASKS_TOPIC, SHARED)
  take(@Payload() delivery: Delivery): void {
    this.runner.take(delivery);
  }
}
