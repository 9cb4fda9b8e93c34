/** The fields of a bundle that the pages show. */
export interface Bundle {
  readonly bundle_id: string;
  readonly status: string;
  readonly next_hop: string | null;
  readonly est_ground_window_utc: string | null;
  readonly rejection_reason: string | null;
  readonly source_eid: string;
  readonly destination_eid: string;
  readonly priority: string;
  readonly payload_bytes: number;
  readonly accepted_at: string;
  readonly expires_at: string | null;
  readonly route: readonly {
    readonly contact: string;
    readonly from: string;
    readonly to: string;
    readonly sends_at: string;
    readonly arrives_at: string;
  }[];
  readonly history: readonly { readonly event: string; readonly at: string }[];
}
