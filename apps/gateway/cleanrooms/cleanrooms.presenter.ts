import { type RoomPage, type ShownRoom } from '#areas/cleanrooms/cleanroom.queries.js';
import { contributorsOf } from '#areas/cleanrooms/room.decider.js';
import { type Column } from '#events/cleanrooms/cleanroom.events.js';
import {
  type CleanroomAnswerDto,
  type CleanroomDto,
  type CleanroomListDto,
  type ColumnDto,
} from './cleanrooms.dto.js';

/** Of millionths: the nearest double. */
export const epsilonOfMillionths = (millionths: number): number => millionths / 1e6;

const presentRoom = ({ room, budget, enclave }: ShownRoom) =>
  ({
    id: room.number,
    uuid: room.cleanroomId,
    name: room.name,
    tee_type: enclave.teeType,
    attestation_status: enclave.attestationStatus,
    privacy_budget_total_epsilon: epsilonOfMillionths(budget.total),
    privacy_budget_spent_epsilon: epsilonOfMillionths(budget.spent),
    privacy_budget_remaining_epsilon: epsilonOfMillionths(budget.remaining),
    participant_count: new Set(room.participants.map(({ accountId }) => accountId)).size,
    computation_count: room.computations,
  }) satisfies CleanroomDto;

export const presentRooms = ({ rooms, total, position }: RoomPage): CleanroomListDto => ({
  success: true,
  total_cleanrooms: total,
  cleanrooms: rooms.map(presentRoom),
  position: position.toString(),
});

const presentColumn = (column: Column): ColumnDto =>
  column.kind === 'category'
    ? column
    : {
        name: column.name,
        kind: column.kind,
        minimum: Number(column.minimum),
        maximum: Number(column.maximum),
        step: Number(column.step),
      };

/** As one account sees it: of contributions it sees its own. */
export const presentDetail = (shown: ShownRoom, accountId: string): CleanroomAnswerDto => {
  const { room, budget } = shown;
  return {
    success: true,
    cleanroom: {
      ...presentRoom(shown),
      owner_account_id: room.accountId,
      composition_rule: room.rule,
      composition_version: room.accountantVersion,
      privacy_budget_total_delta: Number(room.totalDelta),
      privacy_budget_reserved_epsilon: epsilonOfMillionths(budget.reserved),
      contributors_min: room.contributorsMin,
      contributor_count: contributorsOf(room),
      participants: room.participants.map((one) => ({
        account_id: one.accountId,
        role: one.role,
      })),
      schema_version: room.schema?.version ?? null,
      columns: room.schema?.columns.map(presentColumn) ?? [],
      contributions: room.contributions
        .filter((one) => one.accountId === accountId)
        .map((one) => ({
          contribution_id: one.contributionId,
          rows: one.rows,
          schema_version: one.schemaVersion,
          accepted_at: one.acceptedAt,
        })),
      created_at: room.createdAt,
    },
  };
};
