import { Gauge, type Registry } from 'prom-client';

/** One name for one quantity, whichever process tells it. */
export const logHeadGauge = (registry: Registry): Gauge =>
  new Gauge({
    name: 'quipu_log_head_position',
    help: 'The position of the last event in the log.',
    registers: [registry],
  });
