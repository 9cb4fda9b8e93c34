import { CutStreamError } from './event-store.errors.js';
import { type ReadStreamOptions, type RecordedEvent, type StreamName } from './event-store.port.js';

/**
 * Passes on the pages of a stream as long as they have every revision that was asked for. A server
 * hides the oldest events of a stream with `$maxAge`, `$maxCount` or `$tb` without a word.
 * @throws CutStreamError
 */
export async function* wholeStream(
  stream: StreamName,
  { direction = 'forwards', from = 0n, maxCount = Infinity }: ReadStreamOptions,
  pages: AsyncIterable<readonly RecordedEvent[]>,
): AsyncGenerator<readonly RecordedEvent[]> {
  const isForwards = direction === 'forwards';
  const step = isForwards ? 1n : -1n;
  // Backwards, the first event is the last one there is.
  let expected = isForwards ? from : null;
  let left = maxCount;
  for await (const page of pages) {
    for (const { revision } of page) {
      if (expected !== null && revision !== expected) {
        throw new CutStreamError(stream, expected, revision);
      }
      expected = revision + step;
    }
    left -= page.length;
    yield page;
  }
  const isCut = !isForwards && left > 0 && expected !== null && expected >= 0n;
  if (isCut) throw new CutStreamError(stream, expected ?? 0n, null);
}
