import { type Architecture } from '../model.js';
import { hybridCnn } from './hybrid-cnn.model.js';

/** Every network that this engine can run; its weights decide whether it does. */
export const ARCHITECTURES: readonly Architecture[] = [hybridCnn];
