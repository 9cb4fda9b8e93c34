import { proofOf } from '#areas/audit/audit-log.js';
import { type AuditedEvent } from '#areas/audit/audited-request.handler.js';
import { type AuditedRequestDto } from './audit.dto.js';

export const presentAuditedRequest = (
  requestId: string,
  verifierKey: string,
  events: readonly AuditedEvent[],
): AuditedRequestDto => ({
  success: true,
  request_id: requestId,
  verifier_key: verifierKey,
  events: events.map(({ event, encoding, leaf }) => ({
    leaf: leaf.index,
    event_id: event.id,
    position: String(leaf.index + 1),
    stream: event.stream,
    revision: event.revision.toString(),
    type: event.type,
    recorded_at: event.recordedAt,
    encoding: encoding.toString('base64'),
    proof: proofOf(leaf),
  })),
});
