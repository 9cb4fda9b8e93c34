/** Every refusal of the area and the HTTP status it becomes; no route takes a lease. */
export const fleetRefusals = {
  lease_taken: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number }>>;

export type FleetRefusal = keyof typeof fleetRefusals;
