/** The domain errors of the area and their HTTP status. The table closes the union. */
export const catalogErrors = {
  rate_card_not_found: { status: 404 },
  catalog_changed: { status: 409 },
  /** The catalog file cannot be read as one, or cannot be written. */
  catalog_invalid: { status: 409 },
  catalog_not_writable: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number }>>;

export type CatalogErrorCode = keyof typeof catalogErrors;
