import { z } from 'zod';

/** Two lines of 69 characters, as they were published. */
export const TwoLines = z.strictObject({
  format: z.literal('tle'),
  line1: z.string().length(69),
  line2: z.string().length(69),
});
export type TwoLines = z.infer<typeof TwoLines>;

/** Mean elements of SGP4, in the units of an Orbit Mean-Elements Message. */
export const MeanElements = z.strictObject({
  format: z.literal('omm'),
  /** ISO 8601 UTC, with up to six decimals. */
  epoch: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
  /** Revolutions per day. */
  meanMotion: z.number().positive().max(20),
  eccentricity: z.number().nonnegative().lt(1),
  inclinationDeg: z.number().min(0).max(180),
  ascendingNodeDeg: z.number().min(0).max(360),
  pericenterDeg: z.number().min(0).max(360),
  meanAnomalyDeg: z.number().min(0).max(360),
  /** Per Earth radius. */
  bstar: z.number().min(-10).max(10),
});
export type MeanElements = z.infer<typeof MeanElements>;

export const OrbitElements = z.discriminatedUnion('format', [TwoLines, MeanElements]);
export type OrbitElements = z.infer<typeof OrbitElements>;

const MS_PER_DAY = 86_400_000;
/** Two digits from 57 on are of the twentieth century. */
const FIRST_YEAR = 57;

/** Milliseconds since the Unix epoch, with a fraction. */
export const epochMsOf = (elements: OrbitElements): number => {
  if (elements.format === 'omm') {
    const [, second = '', fraction = '0'] = /^(.{19})\.?(\d*)Z$/.exec(elements.epoch) ?? [];
    return Date.parse(`${second}Z`) + Number(`0.${fraction || '0'}`) * 1_000;
  }
  const year = Number(elements.line1.slice(18, 20));
  const days = Number(elements.line1.slice(20, 32));
  const century = year < FIRST_YEAR ? 2_000 : 1_900;
  return Date.UTC(century + year, 0, 1) + (days - 1) * MS_PER_DAY;
};
