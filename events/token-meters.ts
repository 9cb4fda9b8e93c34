/**
 * The classes of tokens. Each token of a request is in exactly one class, and each class has a
 * meter: fresh input and plain output have `input_tokens` and `output_tokens`, the parts their own.
 */
export const INPUT_PARTS = [
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_30m_tokens',
  'cache_write_1h_tokens',
  'audio_input_tokens',
  'cache_read_audio_tokens',
  'image_input_tokens',
] as const;
export type InputPart = (typeof INPUT_PARTS)[number];

export const OUTPUT_PARTS = [
  'reasoning_tokens',
  'audio_output_tokens',
  'image_output_tokens',
] as const;
export type OutputPart = (typeof OUTPUT_PARTS)[number];

export const TOKEN_PARTS = [...INPUT_PARTS, ...OUTPUT_PARTS] as const;
export type TokenPart = (typeof TOKEN_PARTS)[number];

export const INPUT_METER = 'input_tokens';
export const OUTPUT_METER = 'output_tokens';
export const TOKEN_METERS = [INPUT_METER, OUTPUT_METER, ...TOKEN_PARTS] as const;
export type TokenMeter = (typeof TOKEN_METERS)[number];

/** The meter under which a class is held: the meter of all input, or of all output. */
export type TokenSide = typeof INPUT_METER | typeof OUTPUT_METER;

/** Searches of the web, and of rankings: counted, not tokens, at a price of the model. */
export const SEARCH_METER = 'searches';
/** The meters that the price of a model covers. */
export const MODEL_METERS = [...TOKEN_METERS, SEARCH_METER] as const;
export type ModelMeter = (typeof MODEL_METERS)[number];

const METERS: ReadonlySet<string> = new Set(TOKEN_METERS);
const OUTPUTS: ReadonlySet<string> = new Set([OUTPUT_METER, ...OUTPUT_PARTS]);

export const isTokenMeter = (meter: string): meter is TokenMeter => METERS.has(meter);

export const isModelMeter = (meter: string): meter is ModelMeter =>
  METERS.has(meter) || meter === SEARCH_METER;

export const sideOf = (meter: TokenMeter): TokenSide =>
  OUTPUTS.has(meter) ? OUTPUT_METER : INPUT_METER;

/** The meter of the line of a hold that pays for a unit. */
export const heldMeterOf = (meter: string): string => (isTokenMeter(meter) ? sideOf(meter) : meter);
