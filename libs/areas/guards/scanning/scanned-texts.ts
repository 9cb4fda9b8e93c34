import { setImmediate } from 'node:timers/promises';
import { type ScannedRule, TextScanner } from './text-scanner.js';

/** Read between two turns of the event loop. */
const UNITS_PER_TURN = 65_536;

type OnMatch = (rule: ScannedRule) => void;

/**
 * Reads whole texts, with turns of the event loop between their parts.
 * @returns the texts that are changed, by the texts that were
 */
export const scannedTexts = async (
  texts: Iterable<string>,
  rules: readonly ScannedRule[],
  onMatch: OnMatch,
): Promise<ReadonlyMap<string, string>> => {
  const changed = new Map<string, string>();
  let read = 0;
  for (const text of texts) {
    const scanner = new TextScanner(rules, onMatch);
    let safe = '';
    for (let at = 0; at < text.length; at += UNITS_PER_TURN) {
      const part = text.slice(at, at + UNITS_PER_TURN);
      safe += scanner.push(part);
      read += part.length;
      if (read < UNITS_PER_TURN) continue;
      read = 0;
      await setImmediate();
    }
    safe += scanner.end();
    if (scanner.isHolding && safe !== text) changed.set(text, safe);
  }
  return changed;
};
