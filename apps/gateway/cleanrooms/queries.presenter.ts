import { type AnsweredQuestion } from '#areas/cleanrooms/ask-room.handler.js';
import { type SpendPage } from '#areas/cleanrooms/spends.query.js';
import { type AskedQuery } from '#areas/cleanrooms/room-query.js';
import { type PrivacySpent } from '#events/cleanrooms/cleanroom.events.js';
import { epsilonOfMillionths } from './cleanrooms.presenter.js';
import { decimalText } from './column-fields.js';
import {
  type PrivacySpendDto,
  type RoomAnswerDto,
  type RoomQueryDto,
  type SpendListDto,
} from './queries.dto.js';

export const askedOf = (body: RoomQueryDto): AskedQuery => ({
  aggregate: body.aggregate,
  column: body.column ?? undefined,
  groupBy: body.group_by,
  where: body.where,
  quantile: body.quantile ?? undefined,
  k: body.k ?? undefined,
  rows: body.rows ?? undefined,
  epsilon: body.epsilon == null ? undefined : decimalText(body.epsilon),
  rho: body.rho == null ? undefined : decimalText(body.rho),
});

const presentSpend = (spent: PrivacySpent['data']) =>
  ({
    spend_id: spent.spendId,
    mechanism: spent.mechanism,
    sensitivity: spent.sensitivity,
    epsilon: spent.epsilon,
    delta: spent.delta,
    cost: spent.cost,
    query_hash: spent.queryHash,
    composition_version: spent.accountantVersion,
    spent_at: spent.spentAt,
  }) satisfies PrivacySpendDto;

export const presentRoomAnswer = ({
  answer,
  spent,
  isNew,
  budget,
}: AnsweredQuestion): RoomAnswerDto => ({
  success: true,
  cleanroom_uuid: spent.cleanroomId,
  is_new: isNew,
  spend: presentSpend(spent),
  privacy_budget_remaining_epsilon: epsilonOfMillionths(budget.remaining),
  cells:
    answer.kind === 'cells'
      ? answer.cells.map(({ group, value, interval }) => ({ group, value, interval_95: interval }))
      : null,
  values: answer.kind === 'values' ? answer.values : null,
  rank_error_95: answer.kind === 'values' ? answer.error : null,
  table:
    answer.kind === 'table'
      ? {
          columns: answer.columns,
          rows: answer.rows,
          pairs: answer.pairs,
          column_error_95: answer.columnError,
          pair_error_95: answer.pairError,
        }
      : null,
});

export const presentSpends = ({ spends, total, position }: SpendPage): SpendListDto => ({
  success: true,
  total_spends: total,
  spends: spends.map((spent) => ({ ...presentSpend(spent), account_id: spent.accountId })),
  position: position.toString(),
});
