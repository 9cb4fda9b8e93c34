export interface SpendAnswer {
  readonly from: string;
  readonly to: string;
  readonly total_usd: string;
  readonly rows: readonly {
    readonly group: { readonly day?: string | null };
    readonly amount_usd: string;
  }[];
}

const DAYS = 30;
const DAY_MS = 86_400_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, DAY_LENGTH);

/** The last thirty days in UTC, the present one included. */
export const lastDays = (nowMs: number): { readonly from: string; readonly to: string } => ({
  from: dayOf(nowMs - (DAYS - 1) * DAY_MS),
  to: dayOf(nowMs),
});

export interface DaySpend {
  readonly day: string;
  /** For a chart, which needs no exact number. */
  readonly value: number;
}

/** The sum of each day of an answer; zero for a day without a row. */
export const dailySpend = ({ from, to, rows }: SpendAnswer): readonly DaySpend[] => {
  const sums = new Map<string, number>();
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) sums.set(dayOf(ms), 0);
  for (const { group, amount_usd: amount } of rows) {
    const day = group.day ?? '';
    sums.set(day, (sums.get(day) ?? 0) + Number(amount));
  }
  return [...sums].map(([day, value]) => ({ day, value }));
};
