/** On whose behalf something of an account is read: an admin sees all of it. */
export type Reader = 'admin' | { readonly accountId: string };

/** Whether a reader may see the documents of an account. */
export const maySee = (reader: Reader, accountId: string): boolean =>
  reader === 'admin' || reader.accountId === accountId;
