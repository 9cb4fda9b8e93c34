import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';

export interface TraceSettings {
  /** Null: nothing is exported. */
  readonly endpoint: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export const TRACE_SETTINGS = Symbol('TraceSettings');

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const PAIR = /^([A-Za-z0-9-]+)=([\x20-\x7e]*)$/;

/** As `OTEL_EXPORTER_OTLP_HEADERS`: the values are percent-encoded. */
const Headers = z
  .string()
  .transform((text, context) => {
    const pairs = text.split(',').map((pair) => PAIR.exec(pair.trim()));
    if (pairs.every((pair) => pair !== null)) {
      return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decoded(value)]));
    }
    context.addIssue({ code: 'custom', message: 'expected name=value with commas between them' });
    return z.NEVER;
  })
  .optional();

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

export const traceSettings = defineSettings({
  token: TRACE_SETTINGS,
  variables: {
    QUIPU_OTLP_ENDPOINT: variable(
      z.string().refine(isWebAddress, 'expected an http or https URL').optional(),
      'the base address of a collector of OpenTelemetry (OTLP/HTTP), to which spans of requests go',
    ),
    QUIPU_OTLP_HEADERS: variable(
      Headers,
      'headers of these exports, such as `authorization=Basic%20…`, with commas between them',
    ),
  },
  read: ({ QUIPU_OTLP_ENDPOINT: endpoint, QUIPU_OTLP_HEADERS: headers }): TraceSettings => ({
    endpoint: endpoint ?? null,
    headers: headers ?? {},
  }),
});
