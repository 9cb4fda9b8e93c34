const DAY = 'YYYY-MM-DD'.length;

/** A day in UTC, some days from today. */
export const dayFromToday = (days: number): string => {
  const at = new Date();
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, DAY);
};

export const today = (): string => dayFromToday(0);

/** The first day of this month in UTC. */
export const monthStart = (): string => `${today().slice(0, 'YYYY-MM'.length)}-01`;

export const dayAfter = (day: string): string => {
  const at = new Date(day);
  at.setUTCDate(at.getUTCDate() + 1);
  return at.toISOString().slice(0, DAY);
};

/** The instant at which a day in UTC begins. */
export const midnight = (day: string): string => `${day}T00:00:00Z`;
