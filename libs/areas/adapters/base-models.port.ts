/** A matrix of a model as its file has it. */
export interface BaseMatrix {
  readonly inputs: number;
  readonly outputs: number;
}

/** A model of the catalog that adapters can be put on. */
export interface BaseModel {
  readonly modelId: string;
  /** Of its file, in lower-case hex. */
  readonly sha256: string;
  readonly heads: number;
  readonly keyValueHeads: number;
  /** By its name in the GGUF format, without `.weight`: `blk.0.attn_q`. */
  readonly matrices: ReadonlyMap<string, BaseMatrix>;
}

/** The models of the catalog that the embedded engine serves. The composition root binds it. */
export abstract class BaseModels {
  /**
   * Reads the file of the model, once for each version of it.
   * @throws DomainError `adapter_base_unknown`; `adapter_base_unsuitable` for a model of an
   *   upstream server, of another architecture, or whose file cannot be read
   */
  abstract find(modelId: string): Promise<BaseModel>;
}
