import { type Bundle, type CanonicalBlock } from './bundle.js';
import { writePrimary } from './bundle.codec.js';
import { BundleError } from './bundles.errors.js';
import { CborReader, CborWriter } from './cbor.js';
import { decodeEid, type EndpointId, writeEid } from './endpoint-id.js';

/** The abstract security block of RFC 9172, section 3.6. */
export interface SecurityBlock {
  /** Numbers of blocks; 0 is the primary block. */
  readonly targets: readonly number[];
  readonly context: number;
  readonly source: EndpointId;
  /** By id; numbers and byte strings are all that RFC 9173 has. */
  readonly parameters: ReadonlyMap<number, number | Uint8Array>;
  /** For each target its results by id. */
  readonly results: readonly ReadonlyMap<number, Uint8Array>[];
}

const HAS_PARAMETERS = 1;
const ITEMS_MAX = 64;

/** The headers that a signature or a tag covers, too: RFC 9173, section 3.3.3. */
export const SCOPE = { primary: 0x1, target: 0x2, security: 0x4 } as const;
export const SCOPE_MASK = 0x7;

export const encodeSecurityBlock = (block: SecurityBlock): Uint8Array => {
  const { targets, context, source, parameters, results } = block;
  const writer = new CborWriter().array(targets.length);
  for (const target of targets) writer.uint(target);
  writer.uint(context).uint(parameters.size > 0 ? HAS_PARAMETERS : 0);
  writeEid(writer, source);
  if (parameters.size > 0) writePairs(writer, parameters);
  writer.array(results.length);
  for (const ofTarget of results) writePairs(writer, ofTarget);
  return writer.written();
};

const writePairs = (writer: CborWriter, pairs: ReadonlyMap<number, number | Uint8Array>): void => {
  writer.array(pairs.size);
  for (const [id, value] of pairs) {
    writer.array(2).uint(id);
    if (typeof value === 'number') writer.uint(value);
    else writer.bytes(value);
  }
};

/** @throws BundleError */
export const decodeSecurityBlock = (data: Uint8Array): SecurityBlock => {
  const reader = new CborReader(data);
  const targets = listOf(reader, () => reader.uint());
  const context = reader.uint();
  const flags = reader.uint();
  const source = decodeEid(reader);
  const parameters = new Map(
    (flags & HAS_PARAMETERS) === 0
      ? []
      : listOf(reader, () => {
          reader.arrayOf(2);
          return [reader.uint(), reader.isAtUint() ? reader.uint() : reader.bytes()] as const;
        }),
  );
  const results = listOf(
    reader,
    () =>
      new Map(
        listOf(reader, () => {
          reader.arrayOf(2);
          return [reader.uint(), reader.bytes()] as const;
        }),
      ),
  );
  reader.finish();
  if (targets.length === 0 || targets.length !== results.length) {
    throw new BundleError('malformed', 'a security block has one list of results for each target');
  }
  if (new Set(targets).size !== targets.length) {
    throw new BundleError('malformed', 'a security block names a target twice');
  }
  return { targets, context, source, parameters, results };
};

const listOf = <Item>(reader: CborReader, item: () => Item): readonly Item[] => {
  const length = reader.array();
  if (length > ITEMS_MAX) throw new BundleError('too_large', `a list of ${length} items`);
  return Array.from({ length }, item);
};

const writeHeader = (writer: CborWriter, { type, number, flags }: CanonicalBlock): void => {
  writer.uint(type).uint(number).uint(flags);
};

/** @throws BundleError for a target that the bundle lacks */
export const targetOf = ({ blocks }: Bundle, number: number): CanonicalBlock => {
  const target = blocks.find((block) => block.number === number);
  if (!target) throw new BundleError('malformed', `there is no block ${number} to secure`);
  return target;
};

/** The scope flags and the headers that they name. */
export const scopeOf = (
  bundle: Bundle,
  scope: number,
  target: number,
  security: CanonicalBlock,
): CborWriter => {
  const isPrimary = target === 0;
  const writer = new CborWriter().uint(scope);
  if ((scope & SCOPE.primary) !== 0 && !isPrimary) writePrimary(writer, bundle.primary);
  if ((scope & SCOPE.target) !== 0 && !isPrimary) writeHeader(writer, targetOf(bundle, target));
  if ((scope & SCOPE.security) !== 0) writeHeader(writer, security);
  return writer;
};

/** Before the payload, which is the last block. */
export const withBlock = ({ primary, blocks }: Bundle, block: CanonicalBlock): Bundle => ({
  primary,
  blocks: [block, ...blocks],
});

export const numberParameter = (block: SecurityBlock, id: number, fallback: number): number => {
  const value = block.parameters.get(id);
  if (value === undefined) return fallback;
  if (typeof value === 'number') return value;
  throw new BundleError('malformed', `security parameter ${id} is no number`);
};

export const bytesParameter = (block: SecurityBlock, id: number): Uint8Array | undefined => {
  const value = block.parameters.get(id);
  if (typeof value !== 'number') return value;
  throw new BundleError('malformed', `security parameter ${id} is no byte string`);
};
