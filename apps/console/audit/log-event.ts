/** The fields of an event that the pages show. */
export interface LogEvent {
  /** How many events the log has up to this one. */
  readonly position: string;
  readonly event_id: string;
  readonly stream: string;
  readonly revision: string;
  readonly type: string;
  readonly recorded_at: string;
  readonly causation_id: string;
  readonly request_id: string;
  readonly actor: string;
}
