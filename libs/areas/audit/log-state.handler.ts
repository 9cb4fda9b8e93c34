import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { parseNote } from '#platform/audit/signed-note.js';
import { TreeReader } from '#platform/audit/tree-reader.js';
import { AuditLog, hasCosigned, type SignedCheckpoint } from './audit-log.js';
import { AUDIT_SETTINGS, type AuditSettings } from './audit.settings.js';
import { CheckpointPublisher } from './checkpoint-publisher.js';

export interface LogState {
  readonly checkpoint: SignedCheckpoint;
  /** Of its last event. */
  readonly position: bigint;
  /** The events of the tree, published or not. */
  readonly events: number;
  readonly witnesses: readonly { readonly name: string; readonly hasCosigned: boolean }[];
  /** Why no checkpoint is signed any more, in the process that signs them; null for no reason. */
  readonly contradiction: string | null;
}

export class LogStateQuery extends Query<LogState> {}

@QueryHandler(LogStateQuery)
export class LogStateHandler implements IQueryHandler<LogStateQuery> {
  constructor(
    private readonly log: AuditLog,
    private readonly tree: TreeReader,
    private readonly publisher: CheckpointPublisher,
    @Inject(AUDIT_SETTINGS) private readonly settings: Pick<AuditSettings, 'witnesses'>,
  ) {}

  /** @throws DomainError `audit_not_ready` before the first checkpoint */
  async execute(): Promise<LogState> {
    const checkpoint = await this.log.checkpoint();
    const { size } = await this.tree.extent();
    const note = parseNote(checkpoint.note);
    return {
      checkpoint,
      position: await this.log.placeBefore(checkpoint.size),
      events: size,
      witnesses: this.settings.witnesses.map(({ key }) => ({
        name: key.name,
        hasCosigned: hasCosigned(note, key),
      })),
      contradiction: this.publisher.contradiction,
    };
  }
}
