/** The output of a module; bytes that are no UTF-8 become U+FFFD. */
export const textOf = (base64: string): string =>
  new TextDecoder().decode(Buffer.from(base64, 'base64'));
