import { Injectable } from '@nestjs/common';
import { type BatchCreated } from '#events/batches/batch.events.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { type BatchCheckpoint, countsOf, finishedLines } from './batch-checkpoint.js';
import { BatchFiles } from './batch-files.port.js';
import { publicId } from './batch-id.js';
import { LINE_BYTES_MAX, readItem } from './batch-item.js';
import { BatchParts } from './batch-parts.js';
import { linesOf } from './jsonl.js';
import { unfinishedText } from './item-result.js';

/** Why lines did not run. */
export interface Unfinished {
  readonly code: string;
  readonly message: string;
}

export interface WrittenOutputs {
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
}

/** Writes the files of a batch that has ended; a repetition writes the same ones. */
@Injectable()
export class BatchOutputs {
  constructor(
    private readonly files: BatchFiles,
    private readonly parts: BatchParts,
  ) {}

  /** @param unfinished for the lines that no part has */
  async write(
    batch: BatchCreated['data'],
    checkpoint: BatchCheckpoint,
    unfinished: Unfinished,
  ): Promise<WrittenOutputs> {
    const { completed, failed } = countsOf(checkpoint, batch.lines);
    const parts = checkpoint.parts.toSorted((one, other) => firstLine(one) - firstLine(other));
    const hasErrors = completed < batch.lines;
    const isDone = completed + failed === batch.lines;
    const errors = this.#errors(batch, { parts }, isDone ? null : unfinished);
    return {
      outputFileId:
        completed === 0
          ? null
          : await this.#create(batch, 'output', this.parts.read(batch, parts, 'output')),
      errorFileId: hasErrors ? await this.#create(batch, 'error', errors) : null,
    };
  }

  async *#errors(
    batch: BatchCreated['data'],
    checkpoint: BatchCheckpoint,
    unfinished: Unfinished | null,
  ): AsyncGenerator<Uint8Array, void, void> {
    yield* this.parts.read(batch, checkpoint.parts, 'errors');
    if (unfinished) yield* this.#unfinished(batch, checkpoint, unfinished);
  }

  /** Without its input file, the unfinished lines of a batch are not known. */
  async *#unfinished(
    { accountId, batchId, inputFileId, endpoint }: BatchCreated['data'],
    checkpoint: BatchCheckpoint,
    unfinished: Unfinished,
  ): AsyncGenerator<Uint8Array, void, void> {
    const file = await this.files.find(accountId, inputFileId);
    if (!file) return;
    const isFinished = finishedLines(checkpoint);
    for await (const page of linesOf(await file.content(), LINE_BYTES_MAX)) {
      const texts = page
        .filter(({ number }) => !isFinished(number))
        .map((from) => readItem(from, endpoint))
        .flatMap((read) =>
          'line' in read ? [unfinishedText(batchId, read.line, unfinished)] : [],
        );
      if (texts.length > 0) yield Buffer.from(`${texts.join('\n')}\n`);
    }
  }

  #create(
    { accountId, userId, batchId, outputExpiresAfterSeconds }: BatchCreated['data'],
    kind: 'output' | 'error',
    content: AsyncIterable<Uint8Array>,
  ): Promise<string | null> {
    const context: CommandContext = followUp(
      { id: batchId, correlationId: batchId },
      `${kind} file`,
      'system',
    );
    const name = `${publicId(batchId)}_${kind}.jsonl`;
    const expiresAfterSeconds = outputExpiresAfterSeconds;
    const file = { accountId, userId, name, expiresAfterSeconds, content };
    return this.files.create(file, context);
  }
}

const firstLine = ({ lines }: BatchCheckpoint['parts'][number]): number => lines[0]?.[0] ?? 0;
