import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { CheckpointStore } from '#platform/audit/checkpoint-store.port.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/areas/operations.js';
import { CheckpointPublisher } from './checkpoint-publisher.js';

/** Reports the last checkpoint. A contradiction is no reason to turn callers away. */
@Injectable()
export class AuditOperations implements ReadinessCheck, MetricsSource {
  readonly #size: Gauge;
  readonly #contradicted: Gauge;

  constructor(
    private readonly checkpoints: CheckpointStore,
    private readonly publisher: CheckpointPublisher,
    registry: Registry,
  ) {
    const registers = [registry];
    this.#size = new Gauge({
      name: 'quipu_audit_checkpoint_leaves',
      help: 'Leaves of the tree of the last checkpoint that was published.',
      registers,
    });
    this.#contradicted = new Gauge({
      name: 'quipu_audit_contradicted',
      help: '1 while the log contradicts its last checkpoint, in the process that signs them.',
      registers,
    });
  }

  async readiness(): Promise<ReadinessPart> {
    const last = await this.checkpoints.last().catch(() => undefined);
    const audit = {
      checkpoint_leaves: last?.size ?? null,
      contradiction: this.publisher.contradiction,
    };
    return { reasons: [], facts: { audit } };
  }

  async collect(): Promise<void> {
    const last = await this.checkpoints.last();
    this.#size.set(last?.size ?? 0);
    this.#contradicted.set(this.publisher.contradiction === null ? 0 : 1);
  }
}
