import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { QUANTIZATION_SETTINGS, type QuantizationSettings } from './quantization.settings.js';

/** A text that ships. */
export interface NamedText {
  readonly name: string;
  readonly content: string;
  readonly sha256: string;
}

/** Phrasings that no shipped model was trained on; and documents that models were trained on. */
const [HELD_OUT, LEARNED] = ['quipu-held-out.txt', 'quipu.jsonl'];

@Injectable()
export class QuantizationTexts {
  readonly #read = new Map<string, Promise<NamedText>>();

  constructor(
    @Inject(QUANTIZATION_SETTINGS)
    private readonly settings: Pick<QuantizationSettings, 'corporaFolder'>,
  ) {}

  /** By which every quantized model is measured. */
  heldOut(): Promise<NamedText> {
    return this.#text(HELD_OUT);
  }

  /** From which weights learn to be ternary. */
  learned(): Promise<NamedText> {
    return this.#text(LEARNED);
  }

  #text(file: string): Promise<NamedText> {
    const known = this.#read.get(file) ?? readText(this.settings.corporaFolder, file);
    this.#read.set(file, known);
    return known;
  }
}

const readText = async (folder: string, file: string): Promise<NamedText> => {
  const content = await readFile(path.join(folder, file), 'utf8');
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name: path.parse(file).name, content, sha256 };
};
