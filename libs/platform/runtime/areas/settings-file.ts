import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { SettingsError } from './settings.js';

/** A JSON file that a variable names. */
export class SettingsFile {
  constructor(
    private readonly variable: string,
    private readonly path: string,
  ) {}

  /** @throws SettingsError that names the variable and the file */
  reject(why: string): never {
    throw new SettingsError(`${this.variable}: ${this.path}: ${why}`);
  }

  /** @throws SettingsError for a file that cannot be read, or that names the field at fault */
  async read<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> {
    const text = await readFile(this.path, 'utf8').catch(() => this.reject('cannot be read'));
    const parsed = schema.safeParse(this.#json(text));
    return parsed.success ? parsed.data : this.reject(z.prettifyError(parsed.error));
  }

  #json(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      return this.reject('is not JSON');
    }
  }
}
