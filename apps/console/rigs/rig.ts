export interface Certification {
  readonly badge: string;
  readonly measurements: {
    readonly first_token_ms: number | null;
    readonly tokens_per_second: number | null;
    readonly concurrent_streams: number | null;
    readonly tokens_per_second_concurrent: number | null;
    readonly is_answer_consistent: boolean | null;
  };
  readonly problems: readonly { readonly quantity: string; readonly message: string }[];
  readonly measured_at: string;
  readonly expires_at: string;
}

/** The fields of a rig that the pages show. */
export interface Rig {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly kind: string;
  readonly region: string | null;
  readonly state: string;
  readonly models: readonly string[];
  readonly device: string | null;
  readonly memory_bytes: number | null;
  readonly in_flight: number | null;
  readonly max_concurrency: number | null;
  readonly tasks_per_second: number | null;
  /** By model. */
  readonly first_token_ms: Readonly<Record<string, number>>;
  readonly status: string;
  readonly badge: string | null;
  readonly certification: Certification | null;
}
