/** One request's way through all layers of a model, wherever they are. */
export interface LayerRun {
  /**
   * Feeds tokens at the next positions.
   * @returns the logits of the last one; null where they are not wanted
   * @throws LayersError `stage_lost`
   */
  advance(tokens: Int32Array, wantsLogits: boolean): Promise<Float32Array | null>;
  /** Frees what the layers remember, also of a run that failed. To be called once. */
  end(): Promise<RunReport>;
}

/** The stages that served a run. */
export interface RunReport {
  /** In order; empty where the layers were not divided. */
  readonly stages: readonly StageReport[];
  /** How often the run began again on a stage that stood by. */
  readonly failovers: number;
  /** Mean of the hops from the last stage back to the head; null where it was not measured. */
  readonly returnLatencyMs: number | null;
}

export interface StageReport {
  readonly stage: number;
  /** Of its process. */
  readonly pid: number;
  readonly first: number;
  readonly last: number;
  /** Mean of the hops into this stage, from sending to receiving; null where not measured. */
  readonly transportLatencyMs: number | null;
  /** Of all its steps together; null where not measured. */
  readonly computeMs: number | null;
}
