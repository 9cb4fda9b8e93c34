import { eventIdOf } from './resumption.js';

const END = '\n\n';

/** Gives each event of a stream its id, from which a client resumes. */
export class EventIds {
  #comments = '';
  #count = 0;

  constructor(private readonly streamId: string) {}

  /**
   * @param text whole server-sent events, whose data are one line each, and comments
   * @returns each event with its id, and with the comments before it; comments at the end of the
   *   text wait for the next event
   */
  number(text: string): readonly string[] {
    const events: string[] = [];
    for (const part of text.split(END)) {
      if (part === '') continue;
      if (part.startsWith(':')) this.#comments += `${part}${END}`;
      else events.push(this.#next(part));
    }
    return events;
  }

  #next(event: string): string {
    const comments = this.#comments;
    this.#comments = '';
    this.#count += 1;
    return `${comments}id: ${eventIdOf(this.streamId, this.#count)}\n${event}${END}`;
  }
}
