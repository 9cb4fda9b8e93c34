/** The content of a document: one blob, whose head is read without its vectors. */
export interface DocumentHead {
  readonly chunks: readonly string[];
}

const FLOAT_BYTES = 4;

export const encodeContent = (
  head: DocumentHead,
  vectors: readonly Float32Array[],
): { readonly content: Buffer; readonly headBytes: number } => {
  const written = Buffer.from(JSON.stringify(head), 'utf8');
  const dimensions = vectors[0]?.length ?? 0;
  const floats = Buffer.alloc(vectors.length * dimensions * FLOAT_BYTES);
  vectors.forEach((vector, row) => {
    vector.forEach((value, at) => {
      floats.writeFloatLE(value, (row * dimensions + at) * FLOAT_BYTES);
    });
  });
  return { content: Buffer.concat([written, floats]), headBytes: written.length };
};

/** Of the content with vectors of these dimensions. */
export const bytesOfContent = (head: DocumentHead, dimensions: number): number =>
  Buffer.byteLength(JSON.stringify(head)) + head.chunks.length * dimensions * FLOAT_BYTES;

export const decodeHead = (bytes: Buffer): DocumentHead =>
  JSON.parse(bytes.toString('utf8')) as DocumentHead;

export const decodeVectors = (bytes: Buffer): Float32Array =>
  Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) =>
    bytes.readFloatLE(at * FLOAT_BYTES),
  );
