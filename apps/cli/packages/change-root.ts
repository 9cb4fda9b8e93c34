import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import {
  fingerprintOf,
  keyIdOf,
  readRoot,
  type SignedRoot,
  withSignature,
} from '#areas/packages/keys/root-metadata.js';
import { ProposeRootQuery, PublishRootCommand } from '#areas/packages/keys/root.handlers.js';
import { CommandFailure, usage } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { PACKAGES_NEEDS } from './packages.needs.js';

interface RootFileOptions extends CommonOptions {
  readonly file: string;
}

export interface ProposeRootOptions extends RootFileOptions {
  readonly rotate?: boolean;
  readonly rootKey?: readonly string[];
  readonly threshold?: number;
}

export interface SignRootOptions extends RootFileOptions {
  readonly key: string;
}

export type PublishRootOptions = RootFileOptions;

export const proposeRoot = async (
  { file, rotate = false, rootKey, threshold }: ProposeRootOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (!rootKey && threshold !== undefined) throw usage('--threshold: it needs --root-key');
  const keys = await Promise.all((rootKey ?? []).map(publicKeyIn));
  if (threshold !== undefined && threshold > keys.length) {
    throw usage(`--threshold: expected at most ${keys.length}, received ${threshold}`);
  }
  const rootKeys = rootKey ? { keys, threshold: threshold ?? keys.length } : null;
  const query = new ProposeRootQuery({ rotates: rotate, rootKeys });
  const root = await withQuipu(invocation, PACKAGES_NEEDS, ({ queries }) => queries.execute(query));
  await writeNew(file, `${JSON.stringify(root, null, 2)}\n`);
  return outcomeOf(root, `was written to ${file}`);
};

/** @throws CommandFailure `target_exists` */
const writeNew = async (file: string, text: string): Promise<void> => {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (cause) {
    if (!Error.isError(cause) || !('code' in cause) || cause.code !== 'EEXIST') throw cause;
    const message = `${file} is there already; name a file that is not`;
    throw new CommandFailure('target_exists', message, EXIT.failed, { cause });
  }
};

export const signRoot = async ({ file, key }: SignRootOptions): Promise<Outcome> => {
  const privateKey = readKey(key, await textOf(key), createPrivateKey);
  const root = withSignature(await rootIn(file), privateKey, keyIdOf(createPublicKey(privateKey)));
  await writeFile(file, `${JSON.stringify(root, null, 2)}\n`);
  return outcomeOf(root, `has ${root.signatures.length} signatures`);
};

export const publishRoot = async (
  { file }: PublishRootOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const root = await rootIn(file);
  await withQuipu(invocation, PACKAGES_NEEDS, ({ commands, context }) =>
    commands.execute(new PublishRootCommand(root, context())),
  );
  return outcomeOf(root, 'is in force');
};

const outcomeOf = (root: SignedRoot, done: string): Outcome => {
  const { version, expires } = root.signed;
  const json = {
    version,
    expires,
    signatures: root.signatures.length,
    root_sha256: fingerprintOf(root.signed),
  };
  return { json, text: `Root ${version} ${done}. Its fingerprint is ${json.root_sha256}.` };
};

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });

const rootIn = async (file: string): Promise<SignedRoot> => {
  const text = await textOf(file);
  try {
    return readRoot(JSON.parse(text));
  } catch {
    throw usage(`${file} does not have the signed metadata of a root`);
  }
};

const publicKeyIn = async (file: string): Promise<KeyObject> =>
  readKey(file, await textOf(file), createPublicKey);

const readKey = (file: string, text: string, read: (pem: string) => KeyObject): KeyObject => {
  try {
    const key = read(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The message is the same as for a key of another kind.
  }
  throw usage(`${file} does not have a key of Ed25519 as PEM`);
};
