import { compileFunction } from 'node:vm';
import { HOLE } from './packed.format.js';

type Build = (values: readonly unknown[]) => object;

/** Compiling takes as long as building some hundred objects in loops. */
const BUILDS_BEFORE_COMPILING = 100;
/** Each takes a few KB, and names in shapes may come from callers. */
const COMPILED_MAX = 1_000;

/** The shape of an object: the index of a value, or an object or a list of such. */
type Part = number | readonly Part[] | { readonly [name: string]: Part };

/** Compiles the shapes that are frequent, up to a limit. */
export class ShapeCompiler {
  #left = COMPILED_MAX;

  /** @returns null when as many are compiled as may be */
  compile(root: Part): Build | null {
    if (this.#left === 0) return null;
    this.#left -= 1;
    return compileFunction(`return ${codeOf(root)};`, ['values']) as Build;
  }
}

/** Builds the objects of one shape (`packed.format.ts`) from their values. */
export class ObjectShape {
  /** Values of an object. */
  readonly values: number;
  /** UTF-16 units of its names and structure. */
  readonly units: number;
  readonly #root: Part;
  #compiled: Build | null = null;
  #built = 0;

  /** @throws SyntaxError for a text that is no shape */
  constructor(
    text: string,
    private readonly compiler: ShapeCompiler,
  ) {
    let values = 0;
    // Its JSON with the index of each value in place of the value.
    this.#root = JSON.parse(text.replaceAll(HOLE, () => String(values++))) as Part;
    this.values = values;
    this.units = text.length;
  }

  build(values: readonly unknown[]): object {
    if (this.#compiled) return this.#compiled(values);
    this.#built += 1;
    if (this.#built === BUILDS_BEFORE_COMPILING) {
      this.#compiled = this.compiler.compile(this.#root);
    }
    return partOf(this.#root, values) as object;
  }
}

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const partOf = (part: Part, values: readonly unknown[]): unknown => {
  if (typeof part === 'number') return values[part];
  if (isList(part)) return part.map((inner) => partOf(inner, values));
  return Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [name, partOf(inner, values)]),
  );
};

/** A literal: names are string literals, so that none of them is code. */
const codeOf = (part: Part): string => {
  if (typeof part === 'number') return `values[${part}]`;
  if (isList(part)) return `[${part.map(codeOf).join()}]`;
  const fields = Object.entries(part).map(([name, inner]) => `${nameOf(name)}:${codeOf(inner)}`);
  return `{${fields.join()}}`;
};

/** In brackets `__proto__` is a field as any other. */
const nameOf = (name: string): string =>
  name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
