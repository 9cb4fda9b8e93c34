import { dayAfter, dayFromToday, today } from '../shell/days.js';

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

/** The last thirty days in UTC, the present one included. */
export const lastDays = (): { readonly from: string; readonly to: string } => ({
  from: dayFromToday(1 - DAYS),
  to: today(),
});

export interface DaySpend {
  readonly day: string;
  /** For a chart, which needs no exact number. */
  readonly value: number;
}

/** The sum of each day of an answer; zero for a day without a row. */
export const dailySpend = ({ from, to, rows }: SpendAnswer): readonly DaySpend[] => {
  const sums = new Map<string, number>();
  for (let day = from; day <= to; day = dayAfter(day)) sums.set(day, 0);
  for (const { group, amount_usd: amount } of rows) {
    const day = group.day ?? '';
    sums.set(day, (sums.get(day) ?? 0) + Number(amount));
  }
  return [...sums].map(([day, value]) => ({ day, value }));
};
