/** Fuel that is granted at a time: a millisecond or two of work. The clock is read in between. */
export const SLICE_FUEL = 1_000_000n;

/** Ends a run from within the module; the module cannot catch it. */
export class StopSignal extends Error {
  override readonly name = 'StopSignal';

  constructor(readonly reason: 'out_of_fuel' | 'timed_out') {
    super(reason);
  }
}

/**
 * The host's side of the meter. The module counts up from a negative number to zero and then asks
 * for more, so the host learns what was spent once for each slice and not at each step.
 */
export class FuelMeter {
  #granted: bigint;
  #noted = 0n;

  /**
   * @param shared one number, in which another thread finds what was spent
   * @param isTimeUp whether the run has used up its time
   */
  constructor(
    private readonly limit: bigint,
    private readonly shared: BigInt64Array,
    private readonly isTimeUp: () => boolean,
  ) {
    this.#granted = limit < SLICE_FUEL ? limit : SLICE_FUEL;
  }

  /** The initial value of the module's counter. */
  get initial(): bigint {
    return -this.#granted;
  }

  /**
   * @param counter of the module, zero or above
   * @returns the counter to go on with
   * @throws StopSignal
   */
  readonly tick = (counter: bigint): bigint => {
    const spent = this.#granted + counter;
    this.#note(spent);
    if (spent >= this.limit) throw new StopSignal('out_of_fuel');
    if (this.isTimeUp()) throw new StopSignal('timed_out');
    const left = this.limit - spent;
    const next = left < SLICE_FUEL ? left : SLICE_FUEL;
    this.#granted = spent + next;
    return -next;
  };

  /**
   * The fuel spent in all, at most the limit. A module that trapped may have saved its counter
   * before the last tick: the value of the tick counts.
   */
  spent(counter: bigint): bigint {
    const saved = this.#granted + counter;
    this.#note(saved > this.#noted ? saved : this.#noted);
    return this.#noted;
  }

  #note(spent: bigint): void {
    this.#noted = spent < this.limit ? spent : this.limit;
    Atomics.store(this.shared, 0, this.#noted);
  }
}
