/** The fields of a request that the pages show. */
export interface AccountRequest {
  readonly id: string;
  readonly placed_at: string;
  readonly ended_at: string;
  readonly status: string;
  readonly reason: string | null;
  readonly product: string;
  readonly mode: string | null;
  readonly model: string | null;
  readonly rigs: readonly string[];
  readonly key_name: string | null;
  readonly tags: readonly string[];
  readonly usage: readonly { readonly meter: string; readonly quantity: number }[];
  readonly cost_usd: string;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
}
