import { z } from 'zod';
import { reject } from '../orbit.errors.js';
import { MeanElements } from '../orbits.engine.js';

export interface NamedMeanElements {
  readonly satelliteId: number;
  readonly name: string | null;
  readonly elements: MeanElements;
}

/** Space-Track has its numbers as text. */
const FigureText = z
  .string()
  .regex(/^[+-]?[\d.]{1,20}(?:[Ee][+-]?\d{1,3})?$/)
  .refine((text) => Number.isFinite(Number(text)));
const Figure = z.union([z.number(), FigureText]);
const Text = z.string().max(100);

/** The keywords that are read. A message that is not for SGP4 in UTC is not taken for one. */
const Message = z.looseObject({
  OBJECT_NAME: Text.nullish(),
  NORAD_CAT_ID: Figure,
  EPOCH: z.iso
    .datetime({ local: true })
    .regex(/^.{19}(\.\d{1,6})?Z?$/, 'expected at most six decimals'),
  MEAN_MOTION: Figure,
  ECCENTRICITY: Figure,
  INCLINATION: Figure,
  RA_OF_ASC_NODE: Figure,
  ARG_OF_PERICENTER: Figure,
  MEAN_ANOMALY: Figure,
  BSTAR: Figure,
  CENTER_NAME: z.literal('EARTH').optional(),
  REF_FRAME: z.literal('TEME').optional(),
  TIME_SYSTEM: z.literal('UTC').optional(),
  MEAN_ELEMENT_THEORY: z.enum(['SGP4', 'SGP/SGP4']).optional(),
});

/**
 * Orbit Mean-Elements Messages as JSON: one, or an array, as CelesTrak and Space-Track have them.
 * @throws DomainError `elements_invalid`
 */
export const readJsonMessages = (text: string): readonly NamedMeanElements[] => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return reject('elements_invalid', 'data: expected JSON, received a text that is none');
  }
  return (Array.isArray(json) ? json : [json]).map(elementsOf);
};

/**
 * Orbit Mean-Elements Messages in key-value notation, one after the other.
 * @throws DomainError `elements_invalid`
 */
export const readKeyValueMessages = (lines: readonly string[]): readonly NamedMeanElements[] => {
  const messages: Record<string, string>[] = [];
  for (const line of lines) {
    const at = line.indexOf('=');
    const key = line.slice(0, at).trim();
    if (at < 0 || key.startsWith('COMMENT')) continue;
    if (key === 'CCSDS_OMM_VERS') messages.push({});
    const message = messages.at(-1);
    // A unit in brackets is the only one that the format has for its keyword.
    if (message)
      message[key] = line
        .slice(at + 1)
        .split('[', 1)
        .join('')
        .trim();
  }
  return messages.map(elementsOf);
};

const elementsOf = (json: unknown, n: number): NamedMeanElements => {
  const { success, data, error } = Message.safeParse(json);
  if (!success) return fault(n, error);
  const elements = MeanElements.safeParse({
    format: 'omm',
    epoch: data.EPOCH.endsWith('Z') ? data.EPOCH : `${data.EPOCH}Z`,
    meanMotion: Number(data.MEAN_MOTION),
    eccentricity: Number(data.ECCENTRICITY),
    inclinationDeg: Number(data.INCLINATION),
    ascendingNodeDeg: Number(data.RA_OF_ASC_NODE),
    pericenterDeg: Number(data.ARG_OF_PERICENTER),
    meanAnomalyDeg: Number(data.MEAN_ANOMALY),
    bstar: Number(data.BSTAR),
  });
  if (!elements.success) return fault(n, elements.error);
  const name = data.OBJECT_NAME?.trim() ?? '';
  return {
    satelliteId: Number(data.NORAD_CAT_ID),
    name: name === '' ? null : name,
    elements: elements.data,
  };
};

const fault = (n: number, error: z.ZodError): never => {
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  return reject(
    'elements_invalid',
    `data: message ${n + 1}, ${field}: ${issue?.message ?? 'invalid'}`,
  );
};
