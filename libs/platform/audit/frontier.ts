import { EMPTY_ROOT, foldNodes, nodeHashOf } from './merkle.js';

/** The root of a tree while it grows, from the hashes of its complete subtrees alone. */
export class Frontier {
  #size: number;
  readonly #hashes: Buffer[];

  /**
   * @param size of the tree that grows
   * @param edge the hashes of its complete subtrees, from left to right, ever smaller
   */
  constructor(size = 0, edge: readonly Buffer[] = []) {
    this.#size = size;
    this.#hashes = [...edge];
  }

  get size(): number {
    return this.#size;
  }

  push(leafHash: Uint8Array): void {
    let hash: Buffer = Buffer.from(leafHash);
    // Each complete subtree on the right edge joins the new one of its size.
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      hash = nodeHashOf(this.#hashes.pop() ?? EMPTY_ROOT, hash);
    }
    this.#hashes.push(hash);
    this.#size += 1;
  }

  root(): Buffer {
    return foldNodes(this.#hashes);
  }
}
