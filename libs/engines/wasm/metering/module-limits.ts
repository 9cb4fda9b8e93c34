/** The limits of a module, in addition to the limits of V8. */
export interface ModuleLimits {
  /** Of all memories together, in pages of 64 KiB. */
  readonly memoryPagesMax: number;
}

export const PAGE_BYTES = 65_536;
export const PAGES_PER_MIB = 16;

/** Elements of a table lie outside the linear memory, with about 32 bytes each. */
export const TABLE_ELEMENTS_MAX = 100_000;
export const TABLES_MAX = 16;
export const MEMORIES_MAX = 16;

/** Of what V8 compiles, far below its own limits. */
export const DECLARED_MAX = { types: 1_000, functions: 10_000, locals: 200_000 } as const;
export const LOCALS_PER_FUNCTION_MAX = 1_000;
export const GLOBALS_MAX = 1_000;
export const EXPORTS_MAX = 1_000;
/** Of elements and of data, each. */
export const SEGMENTS_MAX = 10_000;
