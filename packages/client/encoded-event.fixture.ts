const withLength = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** The canonical bytes of an event. */
export const encodeEvent = (event: { readonly type: string; readonly data: object }): Buffer => {
  const head = Buffer.alloc(17);
  head[0] = 1;
  head.writeBigInt64BE(3n, 1);
  head.writeBigInt64BE(1_772_000_000_000n, 9);
  const texts = ['account-7', event.type, 'an-id', JSON.stringify(event.data), '{}'];
  return Buffer.concat([head, ...texts.map(withLength)]);
};
