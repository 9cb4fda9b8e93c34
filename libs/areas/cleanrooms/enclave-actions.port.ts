import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';

/** The technology that attests a room, and whether its evidence was verified. */
export interface EnclaveStatus {
  readonly teeType: string;
  readonly attestationStatus: string;
}

export interface RoomAction {
  readonly room: RoomRecord;
  readonly accountId: string;
  /** The body of the request, without `action` and `cleanroom_uuid`. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly context: CommandContext;
}

/** The actions of a room that need an enclave. Each answers the fields of its response. */
export abstract class EnclaveActions {
  abstract status(room: RoomRecord): Promise<EnclaveStatus>;
  /** @throws DomainError */
  abstract attest(action: RoomAction): Promise<Readonly<Record<string, unknown>>>;
  /** @throws DomainError */
  abstract deposit(action: RoomAction): Promise<Readonly<Record<string, unknown>>>;
}
