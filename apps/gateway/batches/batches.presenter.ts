import { heldMeterOf, INPUT_METER, OUTPUT_METER, type TokenSide } from '#events/token-meters.js';
import { cachedTokens, type UsageParts } from '#platform/chats/chat-usage.js';
import { publicId } from '#areas/batches/batch-id.js';
import { type BatchPage, type ShownBatch } from '#areas/batches/batch.queries.js';
import {
  type BatchDto,
  type BatchFaultsDto,
  type BatchListDto,
  type BatchStatus,
  type BatchUsageDto,
} from './batches.dto.js';

const secondsOf = (instant: string | null | undefined): number | null =>
  instant == null ? null : Math.floor(Date.parse(instant) / 1_000);

const statusOf = ({
  startedAt,
  cancellationRequestedAt,
  finalizingAt,
  end,
}: ShownBatch): BatchStatus => {
  if (end) return end.outcome;
  if (finalizingAt !== null) return 'finalizing';
  if (cancellationRequestedAt !== null) return 'cancelling';
  return startedAt === null ? 'validating' : 'in_progress';
};

const faultsOf = ({ end }: ShownBatch): BatchFaultsDto | null =>
  end && end.faults.length > 0 ? { object: 'list', data: end.faults } : null;

const usageOf = ({ end }: ShownBatch): BatchUsageDto | null => {
  if (!end) return null;
  const tokens = (side: TokenSide): number =>
    end.usage.reduce(
      (sum, { meter, quantity }) => (heldMeterOf(meter) === side ? sum + quantity : sum),
      0,
    );
  const parts: UsageParts = Object.fromEntries(
    end.usage.map(({ meter, quantity }) => [meter, quantity]),
  );
  const [input, output] = [tokens(INPUT_METER), tokens(OUTPUT_METER)];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedTokens(parts) ?? null },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: parts.reasoning_tokens ?? null },
    total_tokens: input + output,
  };
};

export const presentBatch = (batch: ShownBatch): BatchDto => {
  const { created, startedAt, cancellationRequestedAt, finalizingAt, counts, end } = batch;
  const endedAs = (outcome: BatchStatus): number | null =>
    end?.outcome === outcome ? secondsOf(end.endedAt) : null;
  return {
    id: publicId(created.batchId),
    object: 'batch',
    endpoint: created.endpoint,
    model: created.model,
    errors: faultsOf(batch),
    input_file_id: created.inputFileId,
    completion_window: created.completionWindow,
    status: statusOf(batch),
    output_file_id: end?.outputFileId ?? null,
    error_file_id: end?.errorFileId ?? null,
    created_at: secondsOf(created.createdAt) ?? 0,
    in_progress_at: secondsOf(startedAt),
    expires_at: secondsOf(created.expiresAt),
    finalizing_at: secondsOf(finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: secondsOf(cancellationRequestedAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: counts,
    usage: usageOf(batch),
    usage_doubts: end?.usageDoubts ?? [],
    metadata: batch.metadata,
  };
};

export const presentBatches = ({ batches, hasMore }: BatchPage): BatchListDto => {
  const data = batches.map(presentBatch);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
};
