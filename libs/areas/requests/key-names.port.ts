/** The names that users gave to their keys. */
export abstract class KeyNames {
  /** By id; without the keys that are revoked. */
  abstract of(accountId: string): Promise<ReadonlyMap<string, string>>;
}
