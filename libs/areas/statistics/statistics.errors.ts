/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const statisticsErrors = {
  invalid_timespan: { status: 400, param: 'timespan' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type StatisticsErrorCode = keyof typeof statisticsErrors;
