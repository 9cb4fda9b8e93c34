import { type ComponentType } from 'preact';
import { type PageCommand } from './page-command.js';

/** The values of the parts of the path that begin with a colon. */
export type PathParameters = Readonly<Record<string, string>>;

export interface PageProps {
  readonly parameters: PathParameters;
}

export interface Page {
  /** Below `/console`: `/`, or such as `/requests/:id`. */
  readonly path: string;
  readonly title: string;
  /** Of whom the routes of the page take one. Default: every user. */
  readonly roles?: readonly string[];
  /** The read of the page at the command line, where it has one. */
  readonly command?: PageCommand;
  /** Loaded when the page is first shown. */
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

/** The pages of an area. Pages without a parameter are in the navigation, in this order. */
export interface ConsoleArea {
  /** Where its pages are in the navigation, from the lowest. */
  readonly order: number;
  /** Over its pages in the navigation. Default: they are in the group above. */
  readonly group?: string;
  readonly pages: readonly Page[];
}

/** Pages below one title of the navigation. */
export interface PageGroup {
  readonly title: string | null;
  readonly pages: readonly Page[];
}

/** The navigation: the pages without a parameter that a user of a role may open. */
export const navigationOf = (areas: readonly ConsoleArea[], role: string): readonly PageGroup[] => {
  const groups: { readonly title: string | null; readonly pages: Page[] }[] = [];
  for (const { group, pages } of [...areas].sort((one, other) => one.order - other.order)) {
    const listed = pages.filter((page) => !page.path.includes(':') && isOpenTo(page, role));
    if (listed.length === 0) continue;
    const last = groups.at(-1);
    const isSame = group === undefined || group === last?.title;
    if (last && isSame) last.pages.push(...listed);
    else groups.push({ title: group ?? null, pages: [...listed] });
  }
  return groups;
};

/** Whether the routes of a page take users of a role. */
export const isOpenTo = ({ roles }: Page, role: string): boolean =>
  roles === undefined || roles.includes(role);

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
