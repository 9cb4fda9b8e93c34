import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { IngestDocumentCommand } from '#areas/vaults/ingest-document.handler.js';
import { SearchVaultCommand } from '#areas/vaults/search-vault.handler.js';
import { usage } from '../command-failure.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { callerOf, type OneVaultOptions, VAULTS_NEEDS } from './vaults.needs.js';

export interface IngestOptions extends OneVaultOptions {
  readonly file: string;
  readonly title?: string;
  readonly marking?: string;
}

/** A running server works on a long text, as a job. */
export const ingestFile = async (
  { vault: vaultId, user, file, title = path.basename(file), marking }: IngestOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const text = await textIn(file);
  const answer = await withQuipu(invocation, VAULTS_NEEDS, async (quipu) => {
    const ingest = { vaultId, title, text, marking: marking ?? null };
    const order = { ...(await orderOf(quipu, user)), ingest };
    return quipu.commands.execute(new IngestDocumentCommand(order, invocation.signal));
  });
  const { documentId, chunks, jobId, done } = answer;
  return {
    json: {
      document_id: documentId,
      status: done ? 'ingested' : 'queued',
      job_id: jobId,
      classification_marking: answer.marking,
      chunks,
      prompt_tokens: done?.promptTokens ?? null,
    },
    text: done
      ? `The document ${documentId} has ${chunks} chunks, marked ${answer.marking}.`
      : `Job ${jobId} ingests ${chunks} chunks; follow it by: jobs show ${jobId} --watch`,
  };
};

export interface SearchOptions extends OneVaultOptions {
  readonly query: string;
  readonly top: number;
}

export const searchVault = async (
  { vault: vaultId, user, query, top }: SearchOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { answer } = await withQuipu(invocation, VAULTS_NEEDS, async (quipu) => {
    const order = { ...(await orderOf(quipu, user)), search: { vaultId, query, top } };
    return quipu.commands.execute(new SearchVaultCommand(order, invocation.signal));
  });
  const results = answer.found.map((one) => ({
    ...{ document_id: one.documentId, document_title: one.title },
    ...{ classification_marking: one.marking, chunk: one.chunk, text: one.text, score: one.score },
  }));
  return {
    json: { results, index: answer.index, recall: answer.recall, clearance: answer.clearance },
    text:
      results.length === 0
        ? 'Nothing was found.'
        : results
            .map((one) => `${one.score.toFixed(3)}  ${one.document_title}\n${one.text}`)
            .join('\n\n'),
  };
};

const orderOf = async (quipu: Quipu, user: string) => {
  const caller = await callerOf(quipu, user);
  const context = quipu.context();
  return { accountId: caller.accountId, receivedAtMs: quipu.clock.now(), context, caller };
};

const textIn = async (file: string): Promise<string> => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
};
