/** What a run may use where its caller sets no limit. */
export const ENTRY_POINT_DEFAULT = '_start';
export const MEMORY_LIMIT_MB_DEFAULT = 64;
export const GAS_LIMIT_DEFAULT = 100_000_000;
