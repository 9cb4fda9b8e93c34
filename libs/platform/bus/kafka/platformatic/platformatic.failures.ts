import { AuthenticationError } from '@platformatic/kafka';
import { kindOfBrokerError } from '../broker-errors.js';
import { KafkaFailure, type KafkaFailureKind } from '../kafka-client.port.js';

interface PlatformaticError {
  readonly message?: string;
  readonly code?: string;
  /** The broker's name of a protocol error. */
  readonly apiId?: string;
  readonly cause?: unknown;
  /** The parts of an aggregate error. */
  readonly errors?: readonly unknown[];
}

/** An error, its causes and its parts. */
const chain = (error: unknown): readonly PlatformaticError[] => {
  if (typeof error !== 'object' || error === null) return [];
  const one: PlatformaticError = error;
  return [one, ...chain(one.cause), ...(one.errors ?? []).flatMap(chain)];
};

/** @param word as in `TOPIC_ALREADY_EXISTS` */
export const isBrokerError = (error: unknown, word: string): boolean =>
  chain(error).some(({ apiId }) => apiId === word);

export const failureOf = (error: unknown): KafkaFailure => {
  if (error instanceof KafkaFailure) return error;
  return new KafkaFailure(kindOf(error), messageOf(error), { cause: error });
};

/** With the root cause: `metadata failed 3 times.` alone does not help an operator. */
const messageOf = (error: unknown): string => {
  const messages = chain(error).flatMap(({ message }) => message ?? []);
  const [first = String(error)] = messages;
  const last = messages.at(-1) ?? first;
  return last === first ? first : `${first.replace(/\.$/, '')}: ${last}`;
};

const kindOf = (error: unknown): KafkaFailureKind => {
  const kinds = chain(error).map(({ apiId, code }) =>
    code === AuthenticationError.code ? 'refused' : kindOfBrokerError(apiId ?? ''),
  );
  return kinds.find((kind) => kind !== 'unavailable') ?? 'unavailable';
};
