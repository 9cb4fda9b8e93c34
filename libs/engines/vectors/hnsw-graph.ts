import { type RowBlock } from './row-block.js';
import { type ScoredRow, TopList } from './top-list.js';

/** Links of a row on the upper layers, and twice as many on the lowest, as the paper has it. */
export const LINKS = 16;
const LINKS_AT_BOTTOM = 2 * LINKS;
export const EF_CONSTRUCTION = 128;
const LEVEL_MAX = 15;
const LEVEL_FACTOR = 1 / Math.log(LINKS);

/**
 * A hierarchical navigable small world: Malkov and Yashunin, arXiv 1603.09320, algorithms 1, 2, 4
 * and 5. Rows enter in their order, and their level is a hash of their number, so equal blocks
 * have equal graphs.
 */
export class HnswGraph {
  /** By row and layer. */
  readonly #links: number[][][] = [];
  #entry = -1;
  /** The search that last saw a row. */
  #seen = new Uint32Array(1_024);
  #search = 0;

  constructor(private readonly block: RowBlock) {}

  /** The rows that are in the graph: those before this number. */
  get rows(): number {
    return this.#links.length;
  }

  /** Adds the next row of the block. */
  insertNext(): void {
    const row = this.rows;
    const level = levelOf(row);
    this.#links.push(Array.from({ length: level + 1 }, () => []));
    if (this.#entry < 0) {
      this.#entry = row;
      return;
    }
    this.block.setQueryRow(row);
    const top = this.#levelOf(this.#entry);
    let nearest: readonly ScoredRow[] = [this.#scored(this.#entry)];
    for (let layer = top; layer > level; layer -= 1) nearest = this.#searchLayer(nearest, 1, layer);
    for (let layer = Math.min(top, level); layer >= 0; layer -= 1) {
      nearest = this.#searchLayer(nearest, EF_CONSTRUCTION, layer);
      this.#connect(row, nearest, layer);
      this.block.setQueryRow(row);
    }
    if (level > top) this.#entry = row;
  }

  /** The best rows for the query of the block, removed ones among them; the best first. */
  search(ef: number): readonly ScoredRow[] {
    if (this.#entry < 0) return [];
    let nearest: readonly ScoredRow[] = [this.#scored(this.#entry)];
    for (let layer = this.#levelOf(this.#entry); layer > 0; layer -= 1) {
      nearest = this.#searchLayer(nearest, 1, layer);
    }
    return this.#searchLayer(nearest, ef, 0);
  }

  #scored(row: number): ScoredRow {
    return { row, score: this.block.scoresOf([row])[0] ?? 0 };
  }

  #levelOf(row: number): number {
    return (this.#links[row]?.length ?? 1) - 1;
  }

  #linksOf(row: number, layer: number): number[] {
    return this.#links[row]?.[layer] ?? [];
  }

  /** Algorithm 2. */
  #searchLayer(entries: readonly ScoredRow[], ef: number, layer: number): readonly ScoredRow[] {
    this.#startSearch();
    const found = new TopList(ef);
    const frontier = new Frontier();
    for (const { row, score } of entries) {
      this.#seen[row] = this.#search;
      found.add(row, score);
      frontier.add(row, score);
    }
    for (let next = frontier.take(); next; next = frontier.take()) {
      if (found.isFull && next.score < found.leastScore) break;
      const fresh = this.#linksOf(next.row, layer).filter((row) => this.#isFresh(row));
      const scores = this.block.scoresOf(fresh);
      fresh.forEach((row, at) => {
        const score = scores[at] ?? 0;
        if (found.isFull && score <= found.leastScore) return;
        found.add(row, score);
        frontier.add(row, score);
      });
    }
    return found.sorted();
  }

  #startSearch(): void {
    this.#search += 1;
    if (this.#seen.length >= this.rows) return;
    const grown = new Uint32Array(2 * this.rows);
    grown.set(this.#seen);
    this.#seen = grown;
  }

  #isFresh(row: number): boolean {
    if (this.#seen[row] === this.#search) return false;
    this.#seen[row] = this.#search;
    return true;
  }

  #connect(row: number, nearest: readonly ScoredRow[], layer: number): void {
    const chosen = this.#choose(nearest, LINKS);
    this.#setLinks(row, layer, chosen);
    const linksMax = layer === 0 ? LINKS_AT_BOTTOM : LINKS;
    for (const neighbour of chosen) {
      const links = this.#linksOf(neighbour, layer);
      links.push(row);
      if (links.length <= linksMax) continue;
      this.block.setQueryRow(neighbour);
      const scores = this.block.scoresOf(links);
      const scored = links
        .map((linked, at) => ({ row: linked, score: scores[at] ?? 0 }))
        .sort((one, other) => other.score - one.score || one.row - other.row);
      this.#setLinks(neighbour, layer, this.#choose(scored, linksMax));
    }
  }

  #setLinks(row: number, layer: number, links: readonly number[]): void {
    const layers = this.#links[row];
    if (layers) layers[layer] = [...links];
  }

  /** Algorithm 4: a neighbour that is nearer to a chosen one than to the row is left out. */
  #choose(nearest: readonly ScoredRow[], count: number): readonly number[] {
    if (nearest.length <= count) return nearest.map(({ row }) => row);
    const chosen: number[] = [];
    const others: number[] = [];
    for (const { row, score } of nearest) {
      if (chosen.length >= count) break;
      this.block.setQueryRow(row);
      const scores = this.block.scoresOf(chosen);
      const isApart = chosen.every((_, at) => (scores[at] ?? 0) < score);
      (isApart ? chosen : others).push(row);
    }
    return [...chosen, ...others.slice(0, count - chosen.length)];
  }
}

/** Rows to visit, the best first. */
class Frontier {
  readonly #rows: ScoredRow[] = [];

  add(row: number, score: number): void {
    const rows = this.#rows;
    rows.push({ row, score });
    for (let at = rows.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBetter(at, parent)) return;
      at = parent;
    }
  }

  take(): ScoredRow | undefined {
    const rows = this.#rows;
    const [first] = rows;
    const last = rows.pop();
    if (rows.length === 0 || last === undefined) return first;
    rows[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const better = this.#isBetter(right, left) ? right : left;
      if (!this.#swapIfBetter(better, at)) return first;
      at = better;
    }
  }

  #isBetter(one: number, other: number): boolean {
    const [first, second] = [this.#rows[one], this.#rows[other]];
    if (!first || !second) return false;
    return first.score === second.score ? first.row < second.row : first.score > second.score;
  }

  #swapIfBetter(child: number, parent: number): boolean {
    const [below, above] = [this.#rows[child], this.#rows[parent]];
    if (!below || !above || !this.#isBetter(child, parent)) return false;
    this.#rows[child] = above;
    this.#rows[parent] = below;
    return true;
  }
}

/** Geometric with the factor of the paper, by a hash (splitmix32) of the row's number. */
const levelOf = (row: number): number => {
  let bits = (row + 0x9e3779b9) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  const uniform = (((bits ^ (bits >>> 15)) >>> 0) + 1) / 2 ** 32;
  return Math.min(LEVEL_MAX, Math.floor(-Math.log(uniform) * LEVEL_FACTOR));
};
