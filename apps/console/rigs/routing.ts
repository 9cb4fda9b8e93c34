/** A rig as the gateway that answers sees it. */
export interface RoutedRig {
  readonly rig: string;
  readonly region: string | null;
  readonly breaker: string;
  readonly breaker_since: string | null;
  readonly trial_at: string | null;
  readonly error_rate: number;
  readonly last_failure: string | null;
  readonly in_flight: number;
  readonly max_concurrency: number;
  readonly first_token_ms: Readonly<Record<string, number>>;
}

export interface TokenCost {
  readonly input_usd_per_mtok: number;
  readonly output_usd_per_mtok: number;
}

export interface RankedRig {
  readonly rig: string;
  readonly absence: string | null;
  readonly score: number;
  readonly parts: Readonly<
    Record<'load' | 'first_token' | 'errors' | 'breaker' | 'region' | 'price', number>
  >;
  readonly weight: number;
  readonly cost: TokenCost | null;
}

export interface Routing {
  readonly position?: null;
  readonly rigs: readonly RoutedRig[];
  readonly models: readonly string[];
  readonly ranking: {
    readonly model: string;
    readonly price: TokenCost;
    readonly rigs: readonly RankedRig[];
  } | null;
}
