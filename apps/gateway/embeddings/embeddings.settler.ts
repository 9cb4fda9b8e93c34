import { Injectable } from '@nestjs/common';
import { SettleEmbeddingsHandler } from '#areas/embeddings/settle-embeddings.handler.js';
import { type AttemptEnd } from '#platform/idempotency/answer-store.port.js';
import { type LeftRequest } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { LeftRequestSettler } from '../idempotency/left-request.settler.js';

@Injectable()
export class EmbeddingsSettler extends LeftRequestSettler {
  constructor(private readonly handler: SettleEmbeddingsHandler) {
    super();
  }

  protected settleLeft(left: LeftRequest, context: CommandContext): Promise<AttemptEnd> {
    return this.handler.execute(left, context);
  }

  isSettled(error: unknown): boolean {
    return this.handler.isSettled(error);
  }
}
