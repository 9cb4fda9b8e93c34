/** Faults that one error message lists. */
export const FAULTS_MAX = 10;

/** The message of a request with these faults. */
export const messageOf = (faults: readonly string[]): string => {
  const listed = faults.slice(0, FAULTS_MAX).join('; ');
  const more = faults.length - FAULTS_MAX;
  return more > 0 ? `${listed}; and ${more} more` : listed;
};
