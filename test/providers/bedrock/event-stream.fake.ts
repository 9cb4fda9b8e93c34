import { crc32 } from 'node:zlib';

const STRING = 7;
/** Two lengths and their checksum, and the checksum of the message. */
const FRAME_BYTES = 16;

const headerOf = (name: string, value: string): Buffer => {
  const head = Buffer.alloc(1 + name.length + 3);
  head.writeUInt8(name.length);
  head.write(name, 1);
  head.writeUInt8(STRING, 1 + name.length);
  head.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
  return Buffer.concat([head, Buffer.from(value)]);
};

/** One message of AWS's `application/vnd.amazon.eventstream`, with its two checksums. */
export const frameOf = (headers: Readonly<Record<string, string>>, payload: unknown): Buffer => {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const frame = Buffer.alloc(FRAME_BYTES + head.length + body.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, 12);
  body.copy(frame, 12 + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4);
  return frame;
};

/** An event. Bedrock pads its payloads, so that their lengths do not tell the words. */
export const eventFrame = (type: string, payload: object): Buffer =>
  frameOf(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    { ...payload, p: 'abcdefgh' },
  );

/** An error after the status 200. */
export const exceptionFrame = (type: string, payload: object): Buffer =>
  frameOf(
    {
      ':exception-type': type,
      ':content-type': 'application/json',
      ':message-type': 'exception',
    },
    payload,
  );
