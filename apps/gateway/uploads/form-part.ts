/** A part of a form, in the order of the form; the content must be read before the next part. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'content';
      readonly name: string;
      readonly content: AsyncIterable<Uint8Array>;
    };

/** The longest value of a field that is not content. */
export const FIELD_BYTES_MAX = 4_096;

export const URL_ENCODED = 'application/x-www-form-urlencoded';
