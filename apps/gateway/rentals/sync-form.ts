import { type Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { reject } from '#areas/rentals/rentals.errors.js';
import { checksumOf } from '#areas/rentals/sync/checksum.js';
import { type FileSync, type SyncedRental, type SyncOrder } from '#areas/rentals/sync/file-sync.js';
import { type IncomingFile } from '#areas/rentals/sync/incoming-file.js';
import { namesOf } from '#areas/rentals/sync/workspace-path.js';
import { ANONYMOUS_BODY_BYTES_MAX } from '../bodies/receptions.js';
import { type FormPart } from '../uploads/form-part.js';

export const CONTENT_FIELD = 'file_content';
const REQUIRED = ['api_key', 'job_id', 'file_path'] as const;

export interface ReadForm {
  readonly rental: SyncedRental;
  readonly order: SyncOrder;
  readonly incoming: IncomingFile;
}

/**
 * Reads one form of a file sync, in whatever order its fields come. Until they name the caller,
 * the content has the limit of any body without credentials.
 */
export class SyncForm {
  readonly #fields = new Map<string, string>();
  #rental: SyncedRental | undefined;

  constructor(
    private readonly authenticator: Pick<Authenticator, 'authenticate'>,
    private readonly admit: (caller: Caller) => void,
    private readonly files: Pick<FileSync, 'rental' | 'receive' | 'discard'>,
  ) {}

  /**
   * Rejects before the content is read where the fields before it say why.
   * @throws DomainError; HttpFailure. Nothing that was received is left.
   */
  async read(parts: AsyncIterable<FormPart>): Promise<ReadForm> {
    let incoming: IncomingFile | undefined;
    try {
      for await (const part of parts) {
        if (part.kind === 'field') this.#fields.set(part.name, part.value);
        else if (part.name !== CONTENT_FIELD) reject('sync_parameter_invalid', noFile(part.name));
        else if (incoming) reject('sync_parameter_invalid', `${CONTENT_FIELD} comes twice`);
        else incoming = await this.#receive(part.content);
      }
      const rental = await this.#rentalOf(incoming !== undefined);
      const order = this.#order();
      if (!incoming) return this.#missing(false);
      return { rental, order, incoming };
    } catch (error) {
      if (incoming) await this.files.discard(incoming);
      throw error;
    }
  }

  async #receive(content: AsyncIterable<Uint8Array>): Promise<IncomingFile> {
    const isKnown = this.#has('api_key') && this.#has('job_id');
    if (!isKnown) return this.files.receive(content, ANONYMOUS_BODY_BYTES_MAX);
    this.#rental = await this.#authorized();
    return this.files.receive(content);
  }

  async #rentalOf(hasContent: boolean): Promise<SyncedRental> {
    const isComplete = hasContent && REQUIRED.every((name) => this.#has(name));
    if (!isComplete) return this.#missing(hasContent);
    return this.#rental ?? this.#authorized();
  }

  #has(name: string): boolean {
    return (this.#fields.get(name) ?? '') !== '';
  }

  #missing(hasContent: boolean): never {
    const names = REQUIRED.filter((name) => !this.#has(name));
    const missing = [...names, ...(hasContent ? [] : [CONTENT_FIELD])];
    return reject('sync_parameters_missing', `Missing required parameters: ${missing.join(', ')}`);
  }

  /** @throws DomainError `sync_key_invalid`, `sync_job_not_found`; HttpFailure 429 */
  async #authorized(): Promise<SyncedRental> {
    const caller = await this.authenticator.authenticate(this.#fields.get('api_key') ?? '');
    if (!isKey(caller)) {
      return reject('sync_key_invalid', 'Invalid or inactive API key');
    }
    this.admit(caller);
    return this.files.rental(jobIdOf(this.#fields.get('job_id') ?? ''), caller);
  }

  #order(): SyncOrder {
    const filePath = this.#fields.get('file_path') ?? '';
    namesOf(filePath);
    const isDelta = isDeltaOf(this.#fields.get('is_delta'));
    const [checksum, baseChecksum] = ['checksum', 'base_checksum'].map((field) => {
      const text = this.#fields.get(field) ?? '';
      return text === '' ? null : checksumOf(text, field);
    });
    if (baseChecksum && !isDelta) {
      reject('sync_parameter_invalid', 'base_checksum is for a delta: is_delta is not 1');
    }
    return { filePath, isDelta, checksum: checksum ?? null, baseChecksum: baseChecksum ?? null };
  }
}

/** The interface accepts renter keys and API keys, and no tokens of sessions. */
const isKey = (caller: Caller | null): caller is Caller =>
  caller !== null && ['api_key', 'renter_key'].includes(caller.credential.kind);

const jobIdOf = (text: string): number => {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  return reject('sync_parameter_invalid', 'job_id is a whole number above zero');
};

const isDeltaOf = (text = '0'): boolean => {
  if (text === '1' || text === '0' || text === '') return text === '1';
  return reject('sync_parameter_invalid', 'is_delta is 0 or 1');
};

const noFile = (name: string): string => `${name} is no file: only ${CONTENT_FIELD} is`;
