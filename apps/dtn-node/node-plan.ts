import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { Eid } from '#events/dtn/dtn.events.js';
import { type Contact } from '#areas/dtn/routing/contact-plan.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';

const CONTACTS_MAX = 10_000;

/** As `POST /api/v1/dtn/contacts` of a gateway takes them. */
const Plan = z
  .array(
    z.strictObject({
      from: Eid,
      to: Eid,
      starts_at: z.iso.datetime(),
      ends_at: z.iso.datetime(),
      bits_per_second: z.int().positive().max(1_000_000_000_000),
      light_ms: z.int().nonnegative().max(86_400_000).default(0),
    }),
  )
  .max(CONTACTS_MAX);

/** The contacts of a file, which is read again when it has changed. */
export class NodePlan {
  #readMs = -1;
  #contacts: readonly Contact[] = [];

  constructor(private readonly file: string | null) {}

  /** @throws SettingsError for a file that is no plan */
  contacts(): readonly Contact[] {
    if (this.file === null) return [];
    const { mtimeMs } = statSync(this.file);
    if (mtimeMs !== this.#readMs) this.#contacts = contactsOf(this.file);
    this.#readMs = mtimeMs;
    return this.#contacts;
  }
}

const contactsOf = (file: string): readonly Contact[] => {
  try {
    const plan = Plan.parse(JSON.parse(readFileSync(file, 'utf8')));
    return plan.map((contact, at) => ({
      id: `contact-${at + 1}`,
      from: contact.from,
      to: contact.to,
      startMs: Date.parse(contact.starts_at),
      endMs: Date.parse(contact.ends_at),
      bitsPerSecond: contact.bits_per_second,
      lightMs: contact.light_ms,
    }));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new SettingsError(`bad settings\n  QUIPU_DTN_PLAN: ${file}: ${reason}`, { cause });
  }
};
