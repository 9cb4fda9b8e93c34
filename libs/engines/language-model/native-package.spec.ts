import { describe, expect, it } from '@jest/globals';
import { missingPackage } from './native-package.js';

describe('the package that runs models', () => {
  it('is found where it is installed', () => {
    expect(missingPackage()).toBeNull();
  });

  it('is missed by its name where it is not', () => {
    expect(missingPackage('no-such-package')).toBe('the package no-such-package is not installed');
  });
});
