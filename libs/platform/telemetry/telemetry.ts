import { z } from 'zod';

/** The telemetry of a machine. Null: the machine does not report it. */

const Celsius = z.number().min(-100).max(200).nullable();
const Watts = z.number().nonnegative().nullable();
const Percent = z.number().min(0).max(100).nullable();
const Bytes = z.number().nonnegative().nullable();

/** Of one accelerator. */
export const DeviceTelemetry = z.strictObject({
  temperatureC: Celsius,
  powerW: Watts,
  utilisationPct: Percent,
  memoryUsedBytes: Bytes,
});
export type DeviceTelemetry = z.infer<typeof DeviceTelemetry>;

export const Telemetry = z.strictObject({
  /** Of all processors of the machine: the hottest sensor, the sum of the power. */
  processors: z.strictObject({ temperatureC: Celsius, powerW: Watts, utilisationPct: Percent }),
  memoryUsedBytes: Bytes,
  /** In the order of their numbers; null where none was found. */
  devices: z.array(DeviceTelemetry).readonly().nullable(),
});
export type Telemetry = z.infer<typeof Telemetry>;

/** Of a machine that has not been read yet, or tells nothing. */
export const NO_TELEMETRY: Telemetry = {
  processors: { temperatureC: null, powerW: null, utilisationPct: null },
  memoryUsedBytes: null,
  devices: null,
};
