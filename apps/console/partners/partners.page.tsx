import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Partner = AnswerOf<'/api/v1/partners'>['partners'][number];

const COLUMNS: readonly Column<Partner>[] = [
  {
    name: 'Partner',
    cell: ({ id, partner_name: name }) => (
      <a data-page href={addressOf('/reseller', { partner: String(id) })}>
        {name}
      </a>
    ),
  },
  { name: 'Share', isNumber: true, cell: (partner) => `${partner.revenue_share_pct} %` },
  { name: 'At most', isNumber: true, cell: (partner) => `${partner.revenue_share_max_pct} %` },
  { name: 'Rigs', cell: (partner) => partner.fleet_rigs.join(', ') || '–' },
  { name: 'Registered, UTC', cell: (partner) => instant(partner.registered_at) },
];

export default listPage({
  title: 'Partners',
  route: '/api/v1/partners',
  isTimed: true,
  rowsOf: ({ partners }) => partners,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No partner is registered. <code>POST /api/v1/partners</code> registers one.
    </>
  ),
});
