import { describe, expect, it } from '@jest/globals';
import { traceOf } from './trace.header.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the trace of a request', () => {
  it.each([`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`, `cc-${TRACE}-${SPAN}-01-more`])(
    'is read from %s',
    (traceparent) => {
      expect(traceOf({ traceparent })).toBe(`${TRACE}-${SPAN}`);
    },
  );

  it.each([
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01x`,
  ])('is ignored where it is malformed: %s', (traceparent) => {
    expect(traceOf({ ...(traceparent !== undefined && { traceparent }) })).toBeUndefined();
  });
});
