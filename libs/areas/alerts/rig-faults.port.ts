/** A rig of the catalog that is down now. */
export interface RigFault {
  readonly rig: string;
  readonly cause: 'breaker_open' | 'unreachable';
}

/** The rigs of the catalog, as this process sees them. The class is the injection token. */
export abstract class RigFaults {
  /** One entry for each rig that is down. */
  abstract now(signal: AbortSignal): Promise<readonly RigFault[]>;
}
