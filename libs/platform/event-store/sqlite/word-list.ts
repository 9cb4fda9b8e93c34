import { type DatabaseSync, type StatementSync } from 'node:sqlite';
import { type WordNumbers } from './event-packer.js';
import { type WordTexts } from './event-unpacker.js';

/**
 * The list is read into memory, so its length is limited; later texts are stored in their events.
 */
const WORDS_MAX = 50_000;
/** Texts that have been met once. */
const CANDIDATES_MAX = 10_000;

/** The words of a log, for a reader. Those that are new are read when an event has one of them. */
export class WordReader implements WordTexts {
  readonly #after: StatementSync;
  readonly #texts: string[] = [];

  constructor(database: DatabaseSync) {
    this.#after = database.prepare('SELECT id, text FROM words WHERE id > ? ORDER BY id');
  }

  textOf(number: number): string {
    const known = this.#texts[number] ?? this.#read(number);
    if (known === undefined) throw new Error(`there is no word ${number}`);
    return known;
  }

  #read(number: number): string | undefined {
    for (const { id, text } of this.#after.iterate(Math.max(0, this.#texts.length - 1))) {
      this.#texts[Number(id)] = String(text);
    }
    return this.#texts[number];
  }
}

/**
 * The words of a log, for its writer, within a transaction. A text becomes a word when it is met
 * for the second time, so that a text of one event does not stay in memory for ever.
 */
export class WordWriter implements WordNumbers {
  readonly #after: StatementSync;
  readonly #insert: StatementSync;
  readonly #numbers = new Map<string, number>();
  readonly #candidates = new Set<string>();
  #last = 0;

  constructor(database: DatabaseSync) {
    this.#after = database.prepare('SELECT id, text FROM words WHERE id > ? ORDER BY id');
    this.#insert = database.prepare('INSERT INTO words (id, text) VALUES (?, ?)');
    this.read();
  }

  /** Reads the words that another process has added. */
  read(): void {
    for (const { id, text } of this.#after.iterate(this.#last)) {
      this.#last = Number(id);
      this.#numbers.set(String(text), this.#last);
    }
  }

  /** After a transaction that was rolled back, and its words with it. */
  forget(): void {
    this.#numbers.clear();
    this.#last = 0;
  }

  numberOf(text: string): number | null {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#last >= WORDS_MAX) return null;
    if (this.#candidates.delete(text)) return this.#add(text);
    if (this.#candidates.size >= CANDIDATES_MAX) this.#candidates.clear();
    this.#candidates.add(text);
    return null;
  }

  /** For a text that must be a word. */
  demand(text: string): number {
    return this.#numbers.get(text) ?? this.#add(text);
  }

  #add(text: string): number {
    this.#last += 1;
    this.#insert.run(this.#last, text);
    this.#numbers.set(text, this.#last);
    return this.#last;
  }
}
