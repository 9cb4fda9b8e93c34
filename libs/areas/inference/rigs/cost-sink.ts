import { type PicoUsd } from '#platform/kernel/pico-usd.js';

/** Where a rig states in its answer what it charges for it. */
export interface CostField {
  /** The names from the answer down to the number. */
  readonly path: readonly string[];
  /** Pico-dollars of one unit of the number. */
  readonly picoPerUnit: bigint;
}

/** Takes the cost that a rig states for one request; the last one counts. */
export interface CostSink {
  readonly field: CostField;
  stated(cost: PicoUsd): void;
}
