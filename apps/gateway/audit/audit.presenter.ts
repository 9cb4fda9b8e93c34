import { proofOf } from '#areas/audit/audit-log.js';
import { type AuditedEvent } from '#areas/audit/audited-request.handler.js';
import { type LogEvent, type LogEventsPage } from '#areas/audit/log-events.handler.js';
import { type LogState } from '#areas/audit/log-state.handler.js';
import {
  type AuditedEventDto,
  type AuditedRequestDto,
  type LogEventFoundDto,
  type LogEventsDto,
  type LogStateDto,
} from './audit.dto.js';

export const presentAuditedRequest = (
  requestId: string,
  verifierKey: string,
  events: readonly AuditedEvent[],
): AuditedRequestDto => ({
  success: true,
  request_id: requestId,
  verifier_key: verifierKey,
  events: events.map(presentAudited),
});

export const presentLogEvents = (
  { events, position }: LogEventsPage,
  limit: number,
): LogEventsDto => ({
  success: true,
  events: events.map(fieldsOf),
  next_after: events.length < limit ? null : String(events.at(-1)?.number ?? 0),
  position: position.toString(),
});

export const presentLogEvent = (verifierKey: string, found: AuditedEvent): LogEventFoundDto => ({
  success: true,
  verifier_key: verifierKey,
  event: presentAudited(found),
  data: found.event.data,
});

export const presentLogState = (verifierKey: string, state: LogState): LogStateDto => ({
  success: true,
  verifier_key: verifierKey,
  root: state.checkpoint.root.toString('base64'),
  unpublished_events: Math.max(0, state.events - state.checkpoint.size),
  witnesses: state.witnesses.map(({ name, hasCosigned }) => ({ name, has_cosigned: hasCosigned })),
  contradiction: state.contradiction,
  position: state.position.toString(),
});

const fieldsOf = ({ number, event }: LogEvent) => ({
  position: String(number),
  event_id: event.id,
  stream: event.stream,
  revision: event.revision.toString(),
  type: event.type,
  recorded_at: event.recordedAt,
  causation_id: event.metadata.causationId,
  request_id: event.metadata.requestId,
  actor: event.metadata.actor,
});

const presentAudited = ({ event, encoding, leaf }: AuditedEvent): AuditedEventDto => ({
  ...fieldsOf({ number: leaf.index + 1, event }),
  leaf: leaf.index,
  encoding: encoding.toString('base64'),
  proof: proofOf(leaf),
});
