import { orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type ProofKey = AnswerOf<'/api/v1/zk_proofs/keys'>['keys'][number];

const COLUMNS: readonly Column<ProofKey>[] = [
  { name: 'Key', cell: (key) => key.key_id },
  { name: 'Scheme', cell: ({ scheme, curve }) => `${scheme} on ${curve}` },
  { name: 'Inputs', isNumber: true, cell: ({ inputs }) => count(inputs) },
  { name: 'From', cell: ({ source }) => source },
  { name: 'Registered, UTC', cell: (key) => orDash(key.registered_at, instant) },
  { name: 'Retired, UTC', cell: (key) => orDash(key.retired_at, instant) },
  { name: 'SHA-256', cell: ({ sha256 }) => <code>{sha256}</code> },
];

export default listPage({
  title: 'Keys of proofs',
  route: '/api/v1/zk_proofs/keys',
  rowsOf: ({ keys, built_in: builtIn }) => [...keys, ...builtIn],
  keyOf: (key) => key.key_id,
  columns: COLUMNS,
  empty: (
    <>
      No key is registered. <code>POST /api/v1/zk_proofs/keys</code> registers one.
    </>
  ),
});
