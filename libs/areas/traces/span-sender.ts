import { request } from 'undici';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import { type Span } from './spans.js';
import { type TraceSettings } from './traces.settings.js';

/** Spans of one request to the collector. */
export const SPANS_MAX = 512;
const TIMEOUT_MS = 10_000;

const bodyOf = (spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'quipu' } }] },
        scopeSpans: [{ scope: { name: 'quipu' }, spans }],
      },
    ],
  });

/**
 * Sends spans to a collector by OTLP/HTTP, in JSON.
 * @throws Error unless it answers with 2xx
 */
export const sendSpans = async (
  { endpoint, headers }: TraceSettings & { readonly endpoint: string },
  spans: readonly Span[],
  stopping: AbortSignal,
): Promise<void> => {
  for (let start = 0; start < spans.length; start += SPANS_MAX) {
    const answer = await request(`${withoutTrailing(endpoint, '/')}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: bodyOf(spans.slice(start, start + SPANS_MAX)),
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    answer.body.on('error', () => undefined).destroy();
    const { statusCode } = answer;
    if (statusCode < 200 || statusCode > 299) {
      throw new Error(`the collector answered with status ${statusCode}`);
    }
  }
};
