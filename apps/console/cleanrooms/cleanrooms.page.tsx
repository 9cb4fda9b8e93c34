import { Bar } from '../shell/charts.js';
import { count } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Room = AnswerOf<'/api/v1/cleanrooms/index.php'>['cleanrooms'][number];

const COLUMNS: readonly Column<Room>[] = [
  {
    name: 'Room',
    cell: ({ uuid, name }) => (
      <a data-page href={addressOf(`/cleanrooms/${uuid}`)}>
        {name}
      </a>
    ),
  },
  { name: 'Enclave', cell: (room) => `${room.tee_type}, ${room.attestation_status}` },
  {
    name: 'Epsilon spent',
    isNumber: true,
    cell: (room) => `${room.privacy_budget_spent_epsilon} of ${room.privacy_budget_total_epsilon}`,
  },
  {
    name: 'Share',
    cell: (room) => (
      <Bar share={room.privacy_budget_spent_epsilon / room.privacy_budget_total_epsilon} />
    ),
  },
  { name: 'Participants', isNumber: true, cell: (room) => count(room.participant_count) },
  { name: 'Computations', isNumber: true, cell: (room) => count(room.computation_count) },
];

export default listPage({
  title: 'Clean rooms',
  route: '/api/v1/cleanrooms/index.php',
  isTimed: true,
  rowsOf: ({ cleanrooms }) => cleanrooms,
  keyOf: ({ uuid }) => uuid,
  columns: COLUMNS,
  empty: (
    <>
      You are in no clean room. <code>POST /api/v1/cleanrooms</code> opens one.
    </>
  ),
});
