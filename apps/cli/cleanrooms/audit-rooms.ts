import { AuditRoomsQuery } from '#areas/cleanrooms/audit-rooms.query.js';
import { cleanrooms } from '#projections/cleanrooms/cleanrooms.projection.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';

const NEEDS = {
  areas: ['billing', 'catalog', 'cleanrooms'],
  installation: 'exists',
  projections: [cleanrooms],
} as const;

export const auditRooms = async (_: CommonOptions, invocation: Invocation): Promise<Outcome> => {
  const rooms = await withQuipu(invocation, NEEDS, ({ queries }) =>
    queries.execute(new AuditRoomsQuery()),
  );
  const isSound = rooms.every(({ faults }) => faults.length === 0);
  const rows = rooms.map((room) => [
    room.cleanroomId,
    room.spent,
    room.reserved,
    room.limit,
    String(room.spends),
    room.faults.join('; ') || 'sound',
  ]);
  return {
    json: {
      ...(isSound ? {} : { success: false, code: 'privacy_budget_unsound' }),
      sound: isSound,
      cleanrooms: rooms.map((room) => ({
        uuid: room.cleanroomId,
        name: room.name,
        limit: room.limit,
        spent: room.spent,
        reserved: room.reserved,
        spends: room.spends,
        faults: room.faults,
      })),
    },
    text:
      rows.length === 0
        ? 'There are no clean rooms.'
        : inColumns([['ROOM', 'SPENT', 'RESERVED', 'LIMIT', 'SPENDS', 'RESULT'], ...rows]),
    exitCode: isSound ? EXIT.done : EXIT.failed,
  };
};
