import { describe, expect, it } from '@jest/globals';
import { CutStreamError } from './event-store.errors.js';
import { type ReadStreamOptions, type RecordedEvent } from './event-store.port.js';
import { wholeStream } from './whole-stream.js';

/** Only the revision is looked at. */
const events = (...revisions: readonly number[]): readonly RecordedEvent[] =>
  revisions.map((revision) => ({ revision: BigInt(revision) }) as RecordedEvent);

async function* pages(...of: readonly (readonly number[])[]) {
  for (const page of of) yield await Promise.resolve(events(...page));
}

const read = async (options: ReadStreamOptions, ...of: readonly (readonly number[])[]) => {
  const read = await Array.fromAsync(wholeStream('account-7', options, pages(...of)));
  return read.flat().map(({ revision }) => Number(revision));
};

describe('a whole stream', () => {
  it.each<[ReadStreamOptions, readonly (readonly number[])[]]>([
    [{}, [[0, 1], [2]]],
    [{}, []],
    [{ from: 2n }, [[2, 3]]],
    [{ from: 9n }, []],
    [{ maxCount: 2 }, [[0, 1]]],
    [{ direction: 'backwards' }, [[2, 1], [0]]],
    [{ direction: 'backwards', from: 9n, maxCount: 2 }, [[4, 3]]],
    [{ direction: 'backwards' }, []],
  ])('read with %j is passed on: %j', async (options, of) => {
    expect(await read(options, ...of)).toEqual(of.flat());
  });

  it.each<[string, ReadStreamOptions, readonly (readonly number[])[], bigint, bigint | null]>([
    ['without its beginning', {}, [[3, 4]], 0n, 3n],
    ['with a gap', {}, [[0, 1], [3]], 2n, 3n],
    ['without what comes next', { from: 5n }, [[8]], 5n, 8n],
    ['without its beginning, backwards', { direction: 'backwards' }, [[4, 3]], 2n, null],
    ['with a gap, backwards', { direction: 'backwards' }, [[4], [2, 1, 0]], 3n, 2n],
  ])('%s is a fault', async (_, options, of, missing, found) => {
    const failure: unknown = await read(options, ...of).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CutStreamError);
    expect(failure).toMatchObject({ stream: 'account-7', missing, found });
  });
});
