import { describe, expect, it } from '@jest/globals';
import { type Page, pageAt } from './page.js';

const pageOf = (path: string): Page => ({
  path,
  title: path,
  load: () => Promise.reject(new Error('not shown')),
});
const pages = ['/', '/requests', '/requests/:id', '/requests/:id/:leaf'].map(pageOf);

describe('the page of a path', () => {
  it.each([
    ['/', '/', {}],
    ['', '/', {}],
    ['/requests/', '/requests', {}],
    ['/requests/7', '/requests/:id', { id: '7' }],
    ['/requests/7/2', '/requests/:id/:leaf', { id: '7', leaf: '2' }],
  ])('%j is %j', (path, expected, parameters) => {
    expect(pageAt(pages, path)).toMatchObject({ page: { path: expected }, parameters });
  });

  it.each(['/nowhere', '/requests/7/2/1', '/:id'])('%j has none', (path) => {
    expect(pageAt(pages, path)).toBeNull();
  });
});
