/** A value that is still being made, field by field: a spread for each optional field copies. */
export type Writable<T> = { -readonly [Field in keyof T]: T[Field] };
