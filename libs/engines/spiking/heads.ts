import { type Head, type Readout } from './model.js';

/** The domains of prompts that the text head of every network tells apart. */
export const DOMAINS = [
  'code',
  'finance',
  'legal',
  'medical',
  'robotics',
  'vision',
  'chat',
  'maths',
] as const;

/** @param classes the classes of the network's own task */
export const readoutOf = (head: Head, classes: number): Readout =>
  head === 'native'
    ? { head, name: 'readout.native', classes }
    : { head, name: 'readout.text', classes: DOMAINS.length };
