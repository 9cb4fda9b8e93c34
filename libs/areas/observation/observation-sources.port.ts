/** The knowledge of other areas for an ingest. The class is the injection token. */
export abstract class ObservationSources {
  /**
   * The content of a file of the account.
   * @returns null for a file that the account does not have
   */
  abstract file(
    accountId: string,
    fileId: string,
    bytesMax: number,
  ): Promise<Uint8Array | 'too_large' | null>;

  /** The name of the ground station that received an image whose order names none. */
  abstract defaultStation(): Promise<string>;
}
