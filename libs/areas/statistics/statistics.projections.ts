import { computeNodes } from '#projections/statistics/compute-nodes.projection.js';
import { nodeTelemetry } from '#projections/statistics/node-telemetry.projection.js';
import { platformCharges } from '#projections/statistics/platform-charges.projection.js';

/** All that the figures are made of. */
export const statisticsProjections = [platformCharges, computeNodes, nodeTelemetry] as const;
