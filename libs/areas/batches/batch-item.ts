import { z } from 'zod';
import { type BatchFault } from '#events/batches/batch.events.js';
import { type FileLine } from './jsonl.js';

export const LINE_BYTES_MAX = 1_024 * 1_024;
export const CUSTOM_ID_LENGTH_MAX = 512;

/** A request of the input file. */
export interface BatchItem {
  /** Counted from 1. */
  readonly number: number;
  readonly customId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type ReadItem = { readonly line: BatchItem } | { readonly fault: BatchFault };

const Line = z.looseObject({
  custom_id: z.string().min(1).max(CUSTOM_ID_LENGTH_MAX),
  method: z.string(),
  url: z.string(),
  body: z.record(z.string(), z.unknown()),
});

/** Reads one line of an input file whose lines ask this endpoint. */
export const readItem = (from: FileLine, endpoint: string): ReadItem => {
  const { number } = from;
  const fault = (code: string, message: string, param: string | null = null): ReadItem => ({
    fault: { code, message, param, line: number },
  });
  if ('unreadable' in from) {
    return from.unreadable === 'too_long'
      ? fault('line_too_long', `the line is longer than ${LINE_BYTES_MAX} bytes`)
      : fault('invalid_json_line', 'the line is not UTF-8');
  }
  const parsed = parsedOf(from.text);
  if (!parsed) return fault('invalid_json_line', 'the line is not a JSON object');
  const { data, error } = Line.safeParse(parsed);
  if (error) {
    const [issue] = error.issues;
    const param = issue?.path.join('.') ?? null;
    const isMissing = param !== null && !Object.hasOwn(parsed, param);
    return isMissing
      ? fault('missing_required_parameter', `${param} is missing`, param)
      : fault('invalid_parameter', `${param}: ${issue?.message ?? 'is not valid'}`, param);
  }
  const { custom_id: customId, method, url, body } = data;
  if (method !== 'POST') return fault('invalid_method', 'method must be POST', 'method');
  if (url !== endpoint) {
    return fault('url_mismatch', `url must be the endpoint of the batch, ${endpoint}`, 'url');
  }
  return { line: { number, customId, body } };
};

const parsedOf = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
};
