/** A resource that is costly to open and may be used by several at once. */
interface Closable {
  /** Whether it can serve no more. */
  readonly hasEnded: boolean;
  close(): void;
}

interface Resident<Value> {
  readonly opening: Promise<Value>;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

/** Keeps what was opened while it is used, and a while after: the longest unused ends first. */
export class Residents<Value extends Closable> {
  /** In order of last use, the oldest first. */
  readonly #residents = new Map<string, Resident<Value>>();

  constructor(
    /** Above it idle ones are closed; the ones in use may exceed it. */
    private readonly residentsMax: number,
    /** Null keeps an idle one until another needs its place. */
    private readonly idleMsMax: number | null,
  ) {}

  async use<Result>(
    key: string,
    open: () => Promise<Value>,
    act: (value: Value) => Promise<Result>,
  ): Promise<Result> {
    const resident = await this.#enter(key, open);
    try {
      return await act(await resident.opening);
    } finally {
      resident.users -= 1;
      await this.#settle(key, resident);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#residents].map(([key, resident]) => this.#forget(key, resident)));
  }

  async #enter(key: string, open: () => Promise<Value>): Promise<Resident<Value>> {
    const known = this.#residents.get(key);
    const hasEnded = known !== undefined && (await hasFailed(known.opening));
    const current = this.#residents.get(key);
    if (hasEnded && known === current) this.#residents.delete(key);
    const resident = this.#residents.get(key) ?? { opening: open(), users: 0, idle: undefined };
    clearTimeout(resident.idle);
    resident.users += 1;
    this.#residents.delete(key);
    this.#residents.set(key, resident);
    return resident;
  }

  async #settle(key: string, resident: Resident<Value>): Promise<void> {
    if (await hasFailed(resident.opening)) await this.#forget(key, resident);
    else if (resident.users === 0 && this.idleMsMax !== null) {
      const end = (): void => void this.#forget(key, resident);
      resident.idle = setTimeout(end, this.idleMsMax).unref();
    }
    for (const [oldKey, old] of [...this.#residents]) {
      if (this.#residents.size <= this.residentsMax) return;
      if (old.users === 0) await this.#forget(oldKey, old);
    }
  }

  async #forget(key: string, resident: Resident<Value>): Promise<void> {
    clearTimeout(resident.idle);
    if (this.#residents.get(key) === resident) this.#residents.delete(key);
    const value = await resident.opening.catch(() => null);
    value?.close();
  }
}

/** Also one that could not be opened: it is opened again for the next. */
const hasFailed = (opening: Promise<Closable>): Promise<boolean> =>
  opening.then(
    ({ hasEnded }) => hasEnded,
    () => true,
  );
