import { type LedgerEntry } from '#platform/ledger/hold.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type Usage } from '#platform/chats/chat-usage.js';

/** A caller left before its answer began, and was charged for the request its rig had accepted. */
export class ChargedCutError extends RequestCutError {
  constructor(
    readonly rig: string,
    readonly usage: Usage,
    readonly entry: LedgerEntry,
  ) {
    super('client_gone');
  }
}
