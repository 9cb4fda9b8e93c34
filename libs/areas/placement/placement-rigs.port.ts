/** A rig that can hold stages, with the memory that it has reported. */
export interface PlacementRig {
  readonly name: string;
  /** Of the host, as far as the process may use it; null where it was not measured. */
  readonly hostMemoryBytes: number | null;
  /** The memory of each device, in their order; null where none was found. */
  readonly deviceMemoryBytes: readonly number[] | null;
}

/** The rigs could not be asked for. */
export class RigsUnknownError extends Error {
  override readonly name = 'RigsUnknownError';
}

/** The rigs that are registered now. The class is the injection token. */
export abstract class PlacementRigs {
  /**
   * In the order of their names.
   * @throws RigsUnknownError
   */
  abstract rigs(): Promise<readonly PlacementRig[]>;

  /** By a timed transfer between the two rigs; null where it did not succeed. */
  abstract measure(from: string, to: string): Promise<number | null>;
}
