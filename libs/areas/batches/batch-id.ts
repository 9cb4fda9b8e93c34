const PREFIX = 'batch_';
const PUBLIC = /^batch_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The id that callers see. */
export const publicId = (batchId: string): string => `${PREFIX}${batchId.replaceAll('-', '')}`;

/** The batch of an id that a caller sent; undefined for one that no batch can have. */
export const batchIdOf = (written: string): string | undefined => {
  const match = PUBLIC.exec(written);
  return match ? match.slice(1).join('-') : undefined;
};
