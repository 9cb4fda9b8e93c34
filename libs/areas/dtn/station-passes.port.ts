/** What the contact plan needs of a pass. */
export interface PassWindow {
  readonly startMs: number;
  readonly endMs: number;
  /** The closest approach. */
  readonly closestMs: number;
  /** The greatest distance of the visible part. */
  readonly rangeKmMax: number;
}

/** Asks when a satellite passes a ground station. */
export abstract class StationPasses {
  /** @throws DomainError for an unknown station or satellite, and for elements that decay */
  abstract find(
    stationId: number,
    satelliteId: number,
    fromMs: number,
    toMs: number,
  ): Promise<readonly PassWindow[]>;
}
