import { randomUUID } from 'node:crypto';
import { FIELDS_PER_EVENT } from '../append.encoding.js';
import { type ExpectedRevision } from '../event-store.port.js';
import { MessageWriter } from '../grpc/protobuf.writer.js';
import { isUserTaken } from './client-errors.js';
import { openerFor } from './client-packages.js';
import { type PackageClient } from './package-client.js';

const USERS = '/event_store.client.users.Users';
/** Of the whole log: who may read it is in its metadata. */
const METADATA_OF_ALL = '$$$all';
const ADMINS = '$admins';
const TIMEOUT_MS = 10_000;

export interface LogUser {
  readonly name: string;
  readonly password: string;
}

export interface LogUserChange {
  /** False: the user was there, and has this password now. */
  readonly created: boolean;
  /** False: the user had the right already. */
  readonly granted: boolean;
}

/**
 * Creates a plain user on a server and lets it read the whole log. It may be repeated.
 * @param admin the address, with the name and the password of an administrator
 * @throws the client's error where the server does not answer or denies access
 */
export const provideLogUser = async (admin: string, user: LogUser): Promise<LogUserChange> => {
  const client = (await openerFor(admin))();
  try {
    const created = await provide(client, user);
    return { created, granted: await grant(client, user.name) };
  } finally {
    await client.dispose();
  }
};

const writer = new MessageWriter();

/** @returns whether the user is new */
const provide = async (client: PackageClient, { name, password }: LogUser): Promise<boolean> => {
  writer.message(1, () => {
    writer.text(1, name);
    writer.text(2, password);
    writer.text(3, 'Quipu');
  });
  try {
    await client.call(`${USERS}/Create`, writer.finish());
    return true;
  } catch (error) {
    if (!isUserTaken(error)) throw error;
  }
  writer.message(1, () => {
    writer.text(1, name);
    writer.text(2, password);
  });
  await client.call(`${USERS}/ResetPassword`, writer.finish());
  return false;
};

interface AllMetadata {
  readonly $acl?: { readonly $r?: string | readonly string[] };
}

/** Other settings of the log stay. @returns whether the right is new */
const grant = async (client: PackageClient, name: string): Promise<boolean> => {
  const page = { direction: 'backwards', from: null, maxCount: 1 } as const;
  const { records } = await client.readStream(
    METADATA_OF_ALL,
    page,
    AbortSignal.timeout(TIMEOUT_MS),
  );
  const last = records[0];
  const { $acl = {}, ...others } = (last?.data ?? {}) as AllMetadata;
  const readers = [$acl.$r ?? ADMINS].flat();
  if (readers.includes(name)) return false;
  const data = { ...others, $acl: { ...$acl, $r: [...readers, name] } };
  await appendMetadata(client, data, last?.revision ?? 'no-stream');
  return true;
};

const appendMetadata = async (
  client: PackageClient,
  data: object,
  expected: ExpectedRevision,
): Promise<void> => {
  const id = randomUUID();
  const cause = { version: 1, correlationId: id, causationId: id, requestId: id, actor: 'cli' };
  const fields = [id, '$metadata', JSON.stringify(data), JSON.stringify(cause)];
  const encoded = { fields, units: fields.length * FIELDS_PER_EVENT };
  const request = { stream: METADATA_OF_ALL, encoded, expected, deadlineMs: TIMEOUT_MS };
  await client.append(request);
};
