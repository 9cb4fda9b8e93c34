import { MalformedMessageError, type MessageReader } from './protobuf.reader.js';
import { type MessageWriter } from './protobuf.writer.js';

/** How a caller wants ids: as two 64-bit halves or as text. */
export type UuidForm = 'structured' | 'string';

/** A UUID in lower case, from either form; an empty string where there was none. */
export const readUuid = (reader: MessageReader): string => {
  let uuid = '';
  while (reader.next()) {
    if (reader.field === 1) uuid = readHalves(reader.message());
    else if (reader.field === 2) uuid = reader.text().toLowerCase();
    else reader.skip();
  }
  return uuid;
};

const readHalves = (reader: MessageReader): string => {
  const halves = Buffer.alloc(16);
  while (reader.next()) {
    if (reader.field === 1) halves.writeBigInt64BE(reader.int64(), 0);
    else if (reader.field === 2) halves.writeBigInt64BE(reader.int64(), 8);
    else reader.skip();
  }
  const hex = halves.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join('-');
};

export const writeUuid = (
  writer: MessageWriter,
  field: number,
  uuid: string,
  form: UuidForm,
): void => {
  writer.message(field, () => {
    if (form === 'string') writer.text(2, uuid);
    else {
      const halves = Buffer.from(uuid.replaceAll('-', ''), 'hex');
      writer.message(1, () => {
        writer.int64(1, halves.readBigInt64BE(0));
        writer.int64(2, halves.readBigInt64BE(8));
      });
    }
  });
};

export const readStreamName = (reader: MessageReader): string => {
  let name = '';
  while (reader.next()) {
    if (reader.field === 3) name = reader.text();
    else reader.skip();
  }
  return name;
};

export const writeStreamName = (writer: MessageWriter, field: number, name: string): void =>
  writer.message(field, () => writer.text(3, name));

/** An entry of the map that names the type of an event and of its content. */
export const readEntry = (
  reader: MessageReader,
): { readonly key: string; readonly value: string } => {
  let key = '';
  let value = '';
  while (reader.next()) {
    if (reader.field === 1) key = reader.text();
    else if (reader.field === 2) value = reader.text();
    else reader.skip();
  }
  return { key, value };
};

export const writeEntry = (
  writer: MessageWriter,
  field: number,
  key: string,
  value: string,
): void =>
  writer.message(field, () => {
    writer.text(1, key);
    writer.text(2, value);
  });

/** Commit and prepare position, which are one and the same here. */
export const writePosition = (writer: MessageWriter, field: number, position: bigint): void =>
  writer.message(field, () => {
    writer.uint(1, position);
    writer.uint(2, position);
  });

/** The commit position; the prepare position of our own events is equal to it. */
export const readPosition = (reader: MessageReader): bigint => {
  let commit = 0n;
  while (reader.next()) {
    if (reader.field === 1) commit = reader.uint64();
    else reader.skip();
  }
  return commit;
};

/** @throws MalformedMessageError where the caller left out what the call is about */
export const required = <Value>(name: string, value: Value | undefined): Value => {
  if (value === undefined) throw new MalformedMessageError(`${name} is missing`);
  return value;
};
