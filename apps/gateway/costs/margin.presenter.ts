import { groupsOf, marginFields } from '#areas/costs/margin-fields.js';
import { type MarginOrder, type MarginReport } from '#areas/costs/margin.handler.js';
import { type MarginDto, type MarginQueryDto } from './margin.dto.js';

export const orderOf = ({ from, to, by, account, rig }: MarginQueryDto): MarginOrder => ({
  from,
  to,
  by: groupsOf(by),
  ...(account !== undefined && { accountId: account }),
  ...(rig !== undefined && { rigs: [rig] }),
});

export const presentMargin = (
  { from, to }: MarginQueryDto,
  { rows, position }: MarginReport,
): MarginDto => ({
  success: true,
  from,
  to,
  rows: rows.map(marginFields),
  position: position.toString(),
});
