import { Inject, Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/areas/operations.js';
import { RIGS } from '../ports.js';
import { type RigRouter } from './rig-router.js';

/** The state of the rigs, for `/health/ready` and `/metrics`. A rig that is down is no reason. */
@Injectable()
export class RigOperations implements ReadinessCheck, MetricsSource {
  readonly #available: Gauge;

  constructor(
    @Inject(RIGS) private readonly rigs: RigRouter,
    registry: Registry,
  ) {
    this.#available = new Gauge({
      name: 'quipu_rig_available',
      help: '1 while a rig would be asked, 0 while its circuit breaker is open.',
      labelNames: ['rig'],
      registers: [registry],
    });
  }

  readiness(): ReadinessPart {
    return { reasons: [], facts: { rigs: this.rigs.status() } };
  }

  collect(): void {
    for (const { name, breaker } of this.rigs.status()) {
      this.#available.labels(name).set(breaker === 'open' ? 0 : 1);
    }
  }
}
