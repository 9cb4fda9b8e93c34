import { Binary, type Collection, type Db } from 'mongodb';
import { DURABLE, insertIfAbsent, type MongoDatabase } from '#platform/mongodb/mongo-database.js';
import { isDuplicateKey, orUnavailable } from '#platform/mongodb/mongo-failure.js';
import { SecretsError } from '../secrets.error.js';
import {
  newKeySetId,
  newWrappedKey,
  openText,
  sealText,
  SubjectErasedError,
  type SubjectKeySet,
  type SubjectKeys,
  SubjectKeysUnavailableError,
  unwrapKey,
} from '../subject-keys.js';

/** Identifies the master key of a database's keys. */
interface MasterKeyMark {
  readonly _id: 'master-key';
  readonly check: string;
}

interface KeySetMark {
  readonly _id: 'subject-keys';
  readonly setId: string;
}

/** The database stays open when the keys are closed: its opener closes it. */
export const mongoKeySet = ({ db }: MongoDatabase): SubjectKeySet => {
  const marks = db.collection<MasterKeyMark>('installation', DURABLE);
  const find = () => asUnavailable(marks.findOne({ _id: 'master-key' }));
  const sets = db.collection<KeySetMark>('installation', DURABLE);
  return {
    isTaken: async () => (await find()) !== null,
    id: async () => {
      const setId = newKeySetId();
      await asUnavailable(insertIfAbsent(sets.insertOne({ _id: 'subject-keys', setId })));
      return (await asUnavailable(sets.findOne({ _id: 'subject-keys' })))?.setId ?? setId;
    },
    open: async (wrappingKey, check) => {
      await asUnavailable(insertIfAbsent(marks.insertOne({ _id: 'master-key', check })));
      if ((await find())?.check !== check) {
        throw new SecretsError(
          `the database ${db.databaseName} belongs to an installation with another master key`,
        );
      }
      return new MongoSubjectKeys(db, wrappingKey);
    },
  };
};

/** Either has a key or is erased. */
interface KeyRow {
  readonly _id: string;
  readonly wrappedKey?: Binary;
  readonly erasedAt?: Date;
}

/**
 * Nothing is cached: every call asks the server, so an erasure takes effect in all processes at
 * once.
 */
class MongoSubjectKeys implements SubjectKeys {
  readonly #rows: Collection<KeyRow>;
  #closed = false;

  constructor(
    db: Db,
    private readonly wrappingKey: Buffer,
  ) {
    this.#rows = db.collection<KeyRow>('subjectKeys', DURABLE);
  }

  async seal(subject: string, field: string, plaintext: string): Promise<string> {
    const key = await this.#run(async () => {
      return (await this.#keyOf(subject)) ?? (await this.#create(subject));
    });
    return sealText(key, subject, field, plaintext);
  }

  async open(subject: string, field: string, sealed: string): Promise<string | null> {
    const key = await this.#run(() => this.#keyOf(subject));
    return key && openText(key, subject, field, sealed);
  }

  erase(subject: string): Promise<void> {
    return this.#run(async () => {
      while (!(await this.#tryToErase(subject)));
    });
  }

  close(): void {
    this.#closed = true;
  }

  async #keyOf(subject: string): Promise<Buffer | null> {
    const row = await this.#rows.findOne({ _id: subject });
    return row?.wrappedKey ? unwrapKey(this.wrappingKey, subject, row.wrappedKey.value()) : null;
  }

  /** Of several processes that create one at once, all use the first. */
  async #create(subject: string): Promise<Buffer> {
    const wrappedKey = new Binary(newWrappedKey(this.wrappingKey, subject));
    await insertIfAbsent(this.#rows.insertOne({ _id: subject, wrappedKey }));
    const key = await this.#keyOf(subject);
    if (!key) throw new SubjectErasedError(subject);
    return key;
  }

  /** False if a key was created between the search and the mark of the erasure. */
  async #tryToErase(subject: string): Promise<boolean> {
    const erasure = { $unset: { wrappedKey: true }, $min: { erasedAt: new Date() } } as const;
    try {
      await this.#rows.updateOne({ _id: subject }, erasure, { upsert: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  #run<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.#closed) {
      return Promise.reject(new SubjectKeysUnavailableError('the subject keys are closed'));
    }
    return asUnavailable(operation());
  }
}

const asUnavailable = <Result>(operation: Promise<Result>): Promise<Result> =>
  orUnavailable(operation, (detail, options) => new SubjectKeysUnavailableError(detail, options));
