/** Arithmetic on the instants of events: ISO 8601 UTC with milliseconds. Reads no clock. */

export const plusMs = (instant: string, ms: number): string =>
  new Date(Date.parse(instant) + ms).toISOString();

/** Milliseconds from one instant to another; below zero where the other comes first. */
export const msBetween = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

export const later = (one: string, other: string): string => (one > other ? one : other);

export const earlier = (one: string, other: string): string => (one < other ? one : other);
