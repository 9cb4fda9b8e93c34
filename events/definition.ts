import { z } from 'zod';

/** An event as the log stores it, before its upcasters have run. */
export interface StoredEvent {
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
}

/** Lifts the data of one version to the next; pure. */
export type Upcaster = (data: unknown) => unknown;

/**
 * One value defines an event: name, version, schema, and the upcasters of older versions. The
 * stored name never changes, whatever the code is called.
 */
export interface EventDefinition<Type extends string, Schema extends z.ZodType> {
  readonly type: Type;
  readonly version: number;
  readonly schema: Schema;
  /** Keyed by the version they lift from. */
  readonly upcasters: Readonly<Record<number, Upcaster>>;
  /** Builds the event from data that the compiler has checked. */
  readonly of: (data: z.output<Schema>) => { readonly type: Type; readonly data: z.output<Schema> };
}

/** The definitions of a registry. */
export interface AnyEventDefinition {
  readonly type: string;
  readonly version: number;
  readonly schema: z.ZodType;
  readonly upcasters: Readonly<Record<number, Upcaster>>;
}

export type EventOf<D extends { readonly of: (data: never) => unknown }> = ReturnType<D['of']>;

export const defineEvent = <const Type extends string, Schema extends z.ZodType>(
  type: Type,
  definition: {
    readonly version: number;
    readonly schema: Schema;
    readonly upcasters?: Readonly<Record<number, Upcaster>>;
  },
): EventDefinition<Type, Schema> => ({
  type,
  version: definition.version,
  schema: definition.schema,
  upcasters: definition.upcasters ?? {},
  of: (data) => ({ type, data }),
});

/** Parses with the schema of the old version first, so that the upcaster gets valid data. */
export const upcast =
  <Old extends z.ZodType>(schema: Old, lift: (old: z.output<Old>) => unknown): Upcaster =>
  (data) =>
    lift(schema.parse(data));

/**
 * An event that this build cannot read stops the subscription: skipping it would falsify the fold.
 */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';

  constructor(
    readonly stored: StoredEvent,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`cannot read ${stored.type} version ${stored.version}: ${reason}`, options);
  }
}

/**
 * Climbs one version at a time, at the reading edge, and validates the result.
 * @throws UnreadableEventError for an event from the future, a missing upcaster or bad data
 */
export const revive = (
  definition: AnyEventDefinition,
  stored: StoredEvent,
): { readonly type: string; readonly data: unknown } => {
  if (stored.version > definition.version) {
    throw new UnreadableEventError(stored, `this build knows version ${definition.version}`);
  }
  let { data } = stored;
  for (let { version } = stored; version < definition.version; version += 1) {
    const lift = definition.upcasters[version];
    if (!lift) throw new UnreadableEventError(stored, `no upcaster from version ${version}`);
    try {
      data = lift(data);
    } catch (cause) {
      const reason = `it does not lift from version ${version}: ${reasonOf(cause)}`;
      throw new UnreadableEventError(stored, reason, { cause });
    }
  }
  const parsed = definition.schema.safeParse(data);
  if (!parsed.success) {
    throw new UnreadableEventError(stored, reasonOf(parsed.error), { cause: parsed.error });
  }
  return { type: definition.type, data: parsed.data };
};

const reasonOf = (cause: unknown): string =>
  cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
