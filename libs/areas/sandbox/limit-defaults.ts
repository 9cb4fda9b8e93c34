/** The limits of a run whose caller sets none. */
export const ENTRY_POINT_DEFAULT = '_start';
export const MEMORY_LIMIT_MB_DEFAULT = 64;
export const GAS_LIMIT_DEFAULT = 100_000_000;
