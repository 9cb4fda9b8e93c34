import { z } from 'zod';
import { OrbitElements } from './elements.js';

/** The longest window of a search. */
export const WINDOW_DAYS_MAX = 31;
/** The points of a ground track or of a path over the sky. */
export const POINTS_MAX = 1_500;

const MS_PER_DAY = 86_400_000;

/** Milliseconds since the Unix epoch, of the years 1957 to 2056: those of two-line elements. */
const AtMs = z
  .number()
  .min(Date.UTC(1957, 0))
  .max(Date.UTC(2057, 0) - 1);

const window = { elements: OrbitElements, fromMs: AtMs, toMs: AtMs };
const isWindow = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): boolean =>
  toMs > fromMs && toMs - fromMs <= WINDOW_DAYS_MAX * MS_PER_DAY;

const Place = z.strictObject({
  latitudeDeg: z.number().min(-90).max(90),
  longitudeDeg: z.number().min(-180).max(180),
  heightM: z.number().min(-500).max(9_000),
});

/** Above this elevation a satellite is visible. */
const MaskDeg = z.number().min(0).lt(90);
const Points = z.int().min(2).max(POINTS_MAX);

export const OrbitTask = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('passes'), ...window, place: Place, maskDeg: MaskDeg }),
    z.strictObject({ kind: z.literal('track'), ...window, points: Points }),
    z.strictObject({ kind: z.literal('sky'), ...window, place: Place, points: Points }),
  ])
  .refine(isWindow, `a window of more than nothing and at most ${WINDOW_DAYS_MAX} days`);
export type OrbitTask = z.infer<typeof OrbitTask>;

const Look = {
  atMs: z.number(),
  azimuthDeg: z.number(),
  elevationDeg: z.number(),
  rangeKm: z.number(),
};

export const PassPoint = z.strictObject({
  ...Look,
  /** Above zero for a satellite that moves away. */
  rangeRateKmPerSec: z.number(),
  /** Whether the satellite sees more than half of the Sun. */
  sunlit: z.boolean(),
});
export type PassPoint = z.infer<typeof PassPoint>;

export const Pass = z.strictObject({
  /** The rise above the mask; null where the window begins during the pass. */
  aos: PassPoint.nullable(),
  /** Of the visible part of the pass. */
  highest: PassPoint,
  closest: PassPoint,
  /** The set below the mask; null where the window ends during the pass. */
  los: PassPoint.nullable(),
});
export type Pass = z.infer<typeof Pass>;

export const SkyPoint = z.strictObject(Look);
export type SkyPoint = z.infer<typeof SkyPoint>;

export const TrackPoint = z.strictObject({
  atMs: z.number(),
  latitudeDeg: z.number(),
  longitudeDeg: z.number(),
  heightM: z.number(),
});
export type TrackPoint = z.infer<typeof TrackPoint>;

export const OrbitEnd = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passes'), passes: z.array(Pass) }),
  z.strictObject({ kind: z.literal('track'), points: z.array(TrackPoint) }),
  z.strictObject({ kind: z.literal('sky'), points: z.array(SkyPoint) }),
]);
export type OrbitEnd = z.infer<typeof OrbitEnd>;
