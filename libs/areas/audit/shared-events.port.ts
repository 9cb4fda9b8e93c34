import { type RecordedEvent } from '#platform/event-store/event-store.port.js';

/** Events of several accounts. Injected by its class; the composition binds it. */
export abstract class SharedEvents {
  /** Whether an account may see an event that is neither on its stream nor caused by it. */
  abstract maySee(accountId: string, event: RecordedEvent): Promise<boolean>;
}
