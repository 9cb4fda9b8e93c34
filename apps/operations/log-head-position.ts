import { Gauge, type Registry } from 'prom-client';

/** The metric has the same name in every process. */
export const logHeadPosition = (registry: Registry): Gauge =>
  new Gauge({
    name: 'quipu_log_head_position',
    help: 'The position of the last event in the log.',
    registers: [registry],
  });
