import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { CommandFailure, usage } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

/** The models are in a gateway, so it does the work, with the clearance of the key. */
export interface GatewayOptions extends CommonOptions {
  readonly gateway: string;
}

export interface CreateVaultOptions extends GatewayOptions {
  readonly name: string;
  readonly model?: string;
}

const Created = z.looseObject({
  vault: z.looseObject({ vault_uuid: z.string(), model: z.string() }),
});

export const createVault = async (
  { name, model, gateway }: CreateVaultOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const answer = await ask('vaults', { name, model: model ?? null }, gateway, invocation);
  const { vault } = Created.parse(answer);
  return {
    json: vault,
    text: `The vault ${vault.vault_uuid} was created with the model ${vault.model}.`,
  };
};

export interface IngestOptions extends GatewayOptions {
  readonly vault: string;
  readonly file: string;
  readonly title?: string;
  readonly marking?: string;
}

const ACT = 'vault/vector.php';

const Ingested = z.looseObject({
  document_id: z.string(),
  classification_marking: z.string(),
  chunks: z.number(),
  job_id: z.string().nullable(),
});

export const ingestFile = async (
  { vault, file, title = path.basename(file), marking, gateway }: IngestOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const sent = {
    ...{
      action: 'ingest',
      vault_uuid: vault,
      document_title: title,
      payload_text: await textIn(file),
    },
    classification_marking: marking ?? null,
  };
  const answer = Ingested.parse(await ask(ACT, sent, gateway, invocation));
  const { document_id: id, chunks, job_id: job, classification_marking: marked } = answer;
  return {
    json: answer,
    text:
      job === null
        ? `The document ${id} has ${chunks} chunks, marked ${marked}.`
        : `Job ${job} ingests ${chunks} chunks; follow it by: jobs show ${job} --watch`,
  };
};

export interface SearchOptions extends GatewayOptions {
  readonly vault: string;
  readonly query: string;
  readonly top: number;
}

const Found = z.looseObject({
  results: z.array(
    z.looseObject({ document_title: z.string(), text: z.string(), score: z.number() }),
  ),
});

export const searchVault = async (
  { vault, query, top, gateway }: SearchOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const sent = { action: 'search', vault_uuid: vault, query, top_k: top };
  const answer = Found.parse(await ask(ACT, sent, gateway, invocation));
  const texts = answer.results.map(
    ({ score, document_title: title, text }) => `${score.toFixed(3)}  ${title}\n${text}`,
  );
  return {
    json: answer,
    text: texts.length === 0 ? 'Nothing was found.' : texts.join('\n\n'),
  };
};

const Failed = z.looseObject({ code: z.string(), message: z.string() });

/** @throws CommandFailure with the code of the gateway */
const ask = async (
  route: string,
  sent: object,
  gateway: string,
  { environment, signal }: Invocation,
): Promise<unknown> => {
  const key = environment['QUIPU_API_KEY'];
  if (!key) throw usage('QUIPU_API_KEY: expected an API key of the account');
  const response = await fetch(new URL(`/api/v1/${route}`, gateway), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(sent),
    signal,
  }).catch((cause: unknown) => {
    throw new CommandFailure(
      'gateway_unreachable',
      `no gateway answers at ${gateway}`,
      EXIT.failed,
      {
        cause,
      },
    );
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const failed = Failed.safeParse(answer).data;
  throw new CommandFailure(
    failed?.code ?? 'gateway_failed',
    failed?.message ?? `the gateway answers with status ${response.status}`,
  );
};

const textIn = async (file: string): Promise<string> => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
};
