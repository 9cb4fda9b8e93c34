/** The parameter sets that the gateway has. */
export type ParameterSetName = 'ckks-8192' | 'bfv-8192';

/** A vector of numbers; several are the rows of one ciphertext. */
export type Row = readonly number[];

/** Has the secret key of its owner; nothing but `save` returns it. */
export declare class FheClient {
  /** Makes a secret key. */
  static create(parameters: ParameterSetName): Promise<FheClient>;
  /** Opens what `save` returned. */
  static open(saved: Uint8Array): Promise<FheClient>;
  readonly parameters: ParameterSetName;
  /** The parameters and the secret key, to be kept by the owner. */
  save(): Uint8Array;
  /**
   * The file of evaluation keys for the gateway.
   * @param lengthMax the longest vector that is added up; default: all slots
   */
  evaluationKeys(lengthMax?: number): Uint8Array;
  /** Rows of one length, as base64 for the content of a message. */
  encrypt(rows: readonly Row[]): string;
  /** The first value of each row of a result. */
  decrypt(ciphertext: string, rows: number, length: number): number[];
  /** Frees the memory of the keys. */
  close(): void;
}
