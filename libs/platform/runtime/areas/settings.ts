import { type InjectionToken } from '@nestjs/common';
import { z } from 'zod';

/** A setting is missing or wrong; the message names it, and the start stops. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** One environment variable: how it is read, and its row of `SETTINGS.md`. */
export interface Variable<Value = unknown> {
  /** Reads the text of the variable; sees `undefined` where it is not set or empty. */
  readonly schema: z.ZodType<Value>;
  /** The default in the table, in Markdown. */
  readonly default: string;
  /** One sentence, in Markdown, without a full stop. */
  readonly meaning: string;
}

export type Variables = Readonly<Record<string, Variable>>;

export type ValuesOf<Declared extends Variables> = {
  readonly [Name in keyof Declared]: z.output<Declared[Name]['schema']>;
};

/** The facts that the settings of an area may depend on besides their own variables. */
export interface InstallationFacts {
  /** QUIPU_HOME, absolute. */
  readonly home: string;
  /** Whether the event log is on another machine, so that each look at it costs a round trip. */
  readonly isLogRemote: boolean;
  /** Where this process listens, as HOST and PORT say; port 0 until it is known. */
  readonly listeningUrl: string;
}

/**
 * The settings of one area: its variables, and the value that its services inject under `token`.
 * @template Settings the result of `read`
 */
export interface SettingsDeclaration<Declared extends Variables = Variables, Settings = unknown> {
  readonly token: InjectionToken<Settings>;
  readonly variables: Declared;
  /** Pure; called once at start, after every variable was read. */
  readonly read: (values: ValuesOf<Declared>, facts: InstallationFacts) => Settings;
}

/** A list of unlike declarations. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- `read` takes its own variables
export type AnySettings = SettingsDeclaration<any>;

/**
 * A variable that the schema reads.
 * @param otherwise the default as the table shows it, where the schema's own does not say it
 */
export const variable = <Schema extends z.ZodType>(
  schema: Schema,
  meaning: string,
  otherwise?: string,
): { readonly schema: Schema; readonly default: string; readonly meaning: string } => ({
  schema,
  meaning,
  default: otherwise ?? defaultOf(schema),
});

const defaultOf = (schema: z.ZodType): string => {
  const { data } = schema.safeParse(undefined);
  return typeof data === 'string' || typeof data === 'number' ? `\`${data}\`` : 'none';
};

/** Exact as a number. */
const DIGITS = /^\d{1,15}$/;

/** A whole number within bounds, in plain digits: neither spaces, `1e3` nor `0x1F`. */
export const wholeNumber = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}, in digits`;
  const isInRange = (text: string): boolean =>
    DIGITS.test(text) && Number(text) >= min && Number(text) <= max;
  return z.string().refine(isInRange, expected).transform(Number);
};

export const defineSettings = <const Declared extends Variables, Settings>(
  declaration: SettingsDeclaration<Declared, Settings>,
): SettingsDeclaration<Declared, Settings> => declaration;
