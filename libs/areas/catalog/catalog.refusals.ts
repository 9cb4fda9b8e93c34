/** Every refusal of the area and the HTTP status it becomes. The union is closed by this table. */
export const catalogRefusals = {
  rate_card_not_found: { status: 404 },
} as const satisfies Readonly<Record<string, { readonly status: number }>>;

export type CatalogRefusal = keyof typeof catalogRefusals;
