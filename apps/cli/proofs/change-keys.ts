import { readFile } from 'node:fs/promises';
import {
  RegisterProofKeyCommand,
  RetireProofKeyCommand,
} from '#areas/proofs/change-keys.handlers.js';
import { CommandFailure } from '../command-failure.js';
import { confirm } from '../confirmation.js';
import { EXIT } from '../exit-code.js';
import {
  type CommonOptions,
  type Invocation,
  type IrreversibleOptions,
  type Outcome,
} from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { PROOFS_NEEDS } from './proofs.needs.js';

const NEEDS = { ...PROOFS_NEEDS, projections: [] };

export interface RegisterKeyOptions extends CommonOptions {
  readonly file: string;
  readonly id: string;
  readonly source: string;
}

export const registerKey = async (
  { file, id, source }: RegisterKeyOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const verificationKey = await readJson(file);
  const { key } = await withQuipu(invocation, NEEDS, ({ commands, context }) =>
    commands.execute(new RegisterProofKeyCommand(id, source, verificationKey, context())),
  );
  return {
    json: { key_id: id, sha256: key.sha256, scheme: key.scheme, curve: key.curve, source },
    text: `${id} verifies ${key.scheme} proofs on ${key.curve} with ${key.inputs} inputs.`,
  };
};

const readJson = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure('file_unreadable', reason, EXIT.usage, { cause });
  }
};

export interface RetireKeyOptions extends IrreversibleOptions {
  readonly id: string;
}

export const retireKey = async (
  options: RetireKeyOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { id } = options;
  const consequence = `No proof is verified with the key ${id} any more.`;
  await confirm({ word: id, consequence, otherwise: 'no key was retired' }, options, invocation);
  await withQuipu(invocation, NEEDS, ({ commands, context }) =>
    commands.execute(new RetireProofKeyCommand(id, context())),
  );
  return { json: { key_id: id, status: 'retired' }, text: `The key ${id} was retired.` };
};
