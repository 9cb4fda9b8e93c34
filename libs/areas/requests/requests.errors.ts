/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const requestsErrors = {
  ended_request_not_found: { status: 404, param: 'id' },
  invalid_spend_period: { status: 400, param: 'from' },
  spend_too_large: { status: 400, param: 'from' },
  unknown_time_zone: { status: 400, param: 'tz' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;
export type RequestsErrorCode = keyof typeof requestsErrors;
