/** The fields of a job that the pages show. */
export interface Job {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly summary: object;
  readonly after: readonly string[];
  readonly parent_id: string | null;
  readonly attempt: number;
  readonly attempts_max: number;
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  readonly usage: readonly {
    readonly step: string;
    readonly rig: string;
    readonly meter: string;
    readonly quantity: number;
  }[];
  readonly result: { readonly bytes: number; readonly summary: object } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly charge: { readonly outcome: string; readonly amount_micro_usd: string } | null;
  readonly submitted_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export const JOB_STATES = [
  'waiting',
  'queued',
  'dispatched',
  'running',
  'paused',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
];
