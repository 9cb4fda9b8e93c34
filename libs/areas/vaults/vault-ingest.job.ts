import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { VaultIngestEvidence } from '#events/vaults/vault.evidence.js';
import { FileId } from '#events/files/file.events.js';
import { Marking } from '#events/vaults/vault.events.js';
import { AccountId } from '#events/vocabulary.js';
import {
  defineJob,
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { followUp } from '#platform/runtime/commands/command-context.js';
import { TextVectorizer } from './text-vectors.port.js';
import { DocumentLabel } from './labels.js';
import { VaultIngest } from './vault-ingest.js';
import { BYTES_METER, vaultIngestJobProduct } from './vault.product.js';

const IngestJobInput = z.strictObject({
  accountId: AccountId,
  vaultId: z.uuid(),
  documentId: z.uuid(),
  fileId: FileId.nullable(),
  model: z.string(),
  label: DocumentLabel,
  chunks: z.array(z.string()).readonly(),
  storedBytes: z.int().positive(),
  marking: Marking,
  clearance: Marking,
  actor: z.string(),
});
export type IngestJobInput = z.infer<typeof IngestJobInput>;

const IngestJobProgress = z.strictObject({ chunks: z.int().nonnegative() });
type IngestJobProgress = z.infer<typeof IngestJobProgress>;

const IngestJobResult = z.strictObject({ documentId: z.uuid() });
type IngestJobResult = z.infer<typeof IngestJobResult>;

/** Embeds a long document. An attempt that is lost begins again; the tokens are charged once. */
@Injectable()
export class VaultIngestRunner implements JobRunner<
  IngestJobInput,
  IngestJobProgress,
  null,
  IngestJobResult
> {
  constructor(
    private readonly ingests: VaultIngest,
    private readonly vectorizer: TextVectorizer,
  ) {}

  async *run(
    { jobId, input, submittedAt }: JobAttempt<IngestJobInput, null>,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<IngestJobProgress, null>, Finished<IngestJobResult>, void> {
    const { actor, ...ingest } = input;
    const context = followUp({ id: jobId, correlationId: jobId }, 'ingest', actor);
    const atMs = Date.parse(submittedAt);
    let usage: Progress['usage'] = [];
    for await (const { chunks, embedded } of this.ingests.run(ingest, signal, context)) {
      usage = this.vectorizer.used(ingest.model, embedded, atMs);
      const total = ingest.chunks.length;
      yield { done: chunks, total, shown: { chunks }, checkpoint: null, usage };
    }
    const { documentId, storedBytes } = ingest;
    return {
      result: { documentId },
      shown: { chunks: ingest.chunks.length },
      usage: [...usage, { meter: BYTES_METER, quantity: storedBytes }],
    };
  }
}

const HOUR_MS = 3_600_000;

export const vaultIngestJob = defineJob({
  name: 'vault-ingest',
  title: 'Ingest of a long document',
  input: IngestJobInput,
  progress: IngestJobProgress,
  checkpoint: z.null(),
  result: IngestJobResult,
  place: { on: 'areas', runner: VaultIngestRunner },
  limits: {
    openPerAccountMax: 100,
    runningPerAccountMax: 2,
    runningPerHostMax: 8,
    queueMsMax: 24 * HOUR_MS,
    runMsMax: HOUR_MS,
  },
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 500, maxMs: 60_000 },
    failures: {
      vault_not_found: 'final',
      vault_full: 'final',
      vault_file_exists: 'final',
      vault_model_unsuitable: 'final',
      vault_key_changed: 'retry',
    },
  },
  // A second job would be the same document again.
  repeats: 'never',
  price: {
    product: vaultIngestJobProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: ({ summary }) => VaultIngestEvidence.parse(summary),
  },
});
