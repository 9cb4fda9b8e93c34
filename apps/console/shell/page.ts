import { type ComponentType } from 'preact';

/** The values of the parts of the path that begin with a colon. */
export type PathParameters = Readonly<Record<string, string>>;

export interface PageProps {
  readonly parameters: PathParameters;
}

export interface Page {
  /** Below `/console`: `/`, or such as `/requests/:id`. */
  readonly path: string;
  readonly title: string;
  /** Loaded when the page is first shown. */
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

/** The pages of an area. Those without a parameter are in the navigation, in this order. */
export interface ConsoleArea {
  /** Where its pages are in the navigation, from the lowest. */
  readonly order: number;
  readonly pages: readonly Page[];
}

export interface FoundPage extends PageProps {
  readonly page: Page;
}

/** The page of a path below `/console`, or null. */
export const pageAt = (pages: readonly Page[], path: string): FoundPage | null => {
  const parts = partsOf(path);
  for (const page of pages) {
    const parameters = matched(partsOf(page.path), parts);
    if (parameters) return { page, parameters };
  }
  return null;
};

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

const matched = (pattern: readonly string[], parts: readonly string[]): PathParameters | null => {
  if (pattern.length !== parts.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected.startsWith(':')) parameters[expected.slice(1)] = part;
    else if (expected !== part) return null;
  }
  return parameters;
};
