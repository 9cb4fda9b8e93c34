/** The fields of a rental that the pages show. */
export interface Rental {
  readonly job_id: number;
  readonly job_uuid: string;
  readonly status: string;
  readonly rig: string;
  readonly image: string | null;
  readonly first_port: number;
  readonly last_port: number;
  readonly hourly_usd: number;
  readonly seconds: number;
  readonly engine: string | null;
  readonly limits_enforced: boolean | null;
  readonly exit_code: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly charge: { readonly outcome: string; readonly amount_micro_usd: string } | null;
  readonly submitted_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}
