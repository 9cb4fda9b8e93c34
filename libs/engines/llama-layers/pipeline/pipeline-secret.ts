import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders } from 'node:http';

/** 256 bits, drawn for each pipeline; every connection to a stage shows it. */
export const drawSecret = (): string => randomBytes(32).toString('hex');

export const CLOCK_HEADER = 'x-quipu-clock';

/**
 * Names the steady clock of this machine: it starts with the kernel, which draws a name at boot.
 * Null where there is none, and then no clock is shared.
 */
export const clockName = (): string | null => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
};

export const callingHeaders = (secret: string): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
  [CLOCK_HEADER]: clockName() ?? '',
});

export const knowsSecret = ({ authorization }: IncomingHttpHeaders, secret: string): boolean => {
  const shown = Buffer.from(authorization ?? '');
  const wanted = Buffer.from(`Bearer ${secret}`);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
};

export const sharesClock = (theirs: unknown): boolean => theirs !== '' && theirs === clockName();
