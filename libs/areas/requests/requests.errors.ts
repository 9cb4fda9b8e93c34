/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const requestsErrors = {
  ended_request_not_found: { status: 404, param: 'id' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;
export type RequestsErrorCode = keyof typeof requestsErrors;
