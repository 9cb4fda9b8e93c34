import { type AnswerOf } from '../shell/routes.js';

type LogEvent = AnswerOf<'/audit/events'>['events'][number];

/** An event and the events that follow from it. */
export interface Effect {
  readonly event: LogEvent;
  readonly effects: readonly Effect[];
}

/** Events by their causes. An event whose cause is not among them is at the top. */
export const effectsOf = (events: readonly LogEvent[]): readonly Effect[] => {
  const ids = new Set(events.map((event) => event.event_id));
  const causedBy = (isMeant: (event: LogEvent) => boolean): readonly Effect[] =>
    events.filter(isMeant).map((event) => ({
      event,
      effects: causedBy((one) => one.causation_id === event.event_id && one !== event),
    }));
  return causedBy((event) => !ids.has(event.causation_id) || event.causation_id === event.event_id);
};
