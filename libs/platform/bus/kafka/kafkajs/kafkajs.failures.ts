import { kindOfBrokerError } from '../broker-errors.js';
import { KafkaFailure, type KafkaFailureKind } from '../kafka-client.port.js';

interface KafkajsError {
  readonly name?: string;
  /** The broker's name of a protocol error. */
  readonly type?: string;
  readonly cause?: unknown;
  /** The parts of an aggregate error. */
  readonly errors?: readonly unknown[];
}

/** An error, its causes and its parts. */
const chain = (error: unknown): readonly KafkajsError[] => {
  if (typeof error !== 'object' || error === null) return [];
  const one: KafkajsError = error;
  return [one, ...chain(one.cause), ...(one.errors ?? []).flatMap(chain)];
};

export const hasType = (error: unknown, type: string): boolean =>
  chain(error).some((one) => one.type === type);

export const failureOf = (error: unknown): KafkaFailure => {
  if (error instanceof KafkaFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new KafkaFailure(kindOf(error), message, { cause: error });
};

const kindOf = (error: unknown): KafkaFailureKind => {
  const kinds = chain(error).map(({ type, name }) =>
    name?.startsWith('KafkaJSSASL') === true ? 'refused' : kindOfBrokerError(type ?? ''),
  );
  return kinds.find((kind) => kind !== 'unavailable') ?? 'unavailable';
};
