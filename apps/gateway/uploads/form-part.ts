/** A part of a form, in the order of the form; the content must be read before the next part. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      /** Empty where the form names none. */
      readonly filename: string;
      readonly content: AsyncIterable<Uint8Array>;
    };

/** Of one form; parsing stops at the next part. */
export const PARTS_MAX = 16;
export const NAME_BYTES_MAX = 100;
/** The longest value of a field that is not a file. */
export const FIELD_BYTES_MAX = 4_096;

export const MULTIPART = 'multipart/form-data';
export const URL_ENCODED = 'application/x-www-form-urlencoded';
