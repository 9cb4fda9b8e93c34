import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { type PipelineEnd } from './pipeline.task.js';

/** Of a hop, in seconds: a loopback takes a part of a millisecond, a long link some hundreds. */
const HOP_BUCKETS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

/** The answers of this process and the pipelines that gave them. */
@Injectable()
export class PipelineMetrics {
  readonly #answers: Counter;
  readonly #failovers: Counter;
  readonly #hops: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#answers = new Counter({
      name: 'quipu_pipeline_answers_total',
      help: 'Answers of sharded pipelines that came to their end.',
      registers,
    });
    this.#failovers = new Counter({
      name: 'quipu_pipeline_repeats_total',
      help: 'How often answers began again on a stage that stood by.',
      registers,
    });
    this.#hops = new Histogram({
      name: 'quipu_pipeline_hop_seconds',
      help: 'Mean time of the hops into a stage, for each answer, where it was measured.',
      buckets: HOP_BUCKETS,
      registers,
    });
  }

  answered({ failovers, stages }: PipelineEnd): void {
    this.#answers.inc();
    this.#failovers.inc(failovers);
    for (const { transportLatencyMs } of stages) {
      if (transportLatencyMs !== null) this.#hops.observe(transportLatencyMs / 1e3);
    }
  }
}
