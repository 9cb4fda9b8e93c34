/** The domain errors of the area and their HTTP status. The table closes the union. */
export const taxErrors = {
  country_unknown: { status: 422, param: 'country' },
  region_unknown: { status: 422, param: 'region' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param: string }>>;

export type TaxErrorCode = keyof typeof taxErrors;
