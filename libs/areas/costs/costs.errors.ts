/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const costsErrors = {
  invalid_period: { status: 400, param: 'from' },
  margin_too_large: { status: 400, param: 'from' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type CostsErrorCode = keyof typeof costsErrors;
