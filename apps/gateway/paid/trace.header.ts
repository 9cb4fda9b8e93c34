import { type IncomingHttpHeaders } from 'node:http';
import { type HoldLabels } from '#events/hold.vocabulary.js';

/** Version, trace, span and flags; a later version may have more fields. */
const TRACE_PARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-|$)/;

/**
 * The trace that the caller names by `traceparent`. One that is malformed is ignored, as the W3C
 * recommendation (Trace Context, section 3.2) asks.
 */
export const traceOf = ({ traceparent }: IncomingHttpHeaders): HoldLabels['trace'] => {
  if (typeof traceparent !== 'string') return undefined;
  const [, trace, span] = TRACE_PARENT.exec(traceparent) ?? [];
  return trace === undefined ? undefined : `${trace}-${span}`;
};
