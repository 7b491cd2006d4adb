import { judgeDomainName } from '../domains/name/domain-name.js';
import { SUFFIXES } from '../domains/schema/domain.js';
import { type GeneratedName, generateNames } from './name-generator.js';

const COUNT = 20_000;
const names = [...generateNames(COUNT, 7)];
const labels = names.map(({ domain }) => domain.slice(0, domain.indexOf('.')));

describe('generateNames', () => {
  it('makes the same names of the same seed, and others of another', () => {
    expect([...generateNames(COUNT, 7)]).toEqual(names);
    expect([...generateNames(100, 8)]).not.toEqual(names.slice(0, 100));
  });

  it('begins a longer list with the shorter one', () => {
    expect([...generateNames(500, 7)]).toEqual(names.slice(0, 500));
  });

  it('makes names that can be registered, each once', () => {
    expect(names.filter(({ domain }) => !judgeDomainName(domain).ok)).toEqual([]);
    expect(new Set(names.map(({ domain }) => domain)).size).toBe(COUNT);
  });

  it('takes every suffix, com.au mostly', () => {
    for (const suffix of SUFFIXES)
      expect(share(({ domain }) => hasSuffix(domain, suffix))).toBeGreaterThan(0.001);
    expect(share(({ domain }) => hasSuffix(domain, 'com.au'))).toBeCloseTo(0.88, 1);
  });

  // Real lists of deleted names: half the labels have 8 to 14 characters, 17 % a hyphen, 6 % a digit.
  it('makes labels as long as real ones, with as many hyphens and digits', () => {
    const lengths = labels.map((label) => label.length).sort((one, other) => one - other);
    expect(lengths[COUNT / 4]).toBeGreaterThanOrEqual(7);
    expect(lengths[COUNT / 2]).toBeGreaterThanOrEqual(10);
    expect(lengths[COUNT / 2]).toBeLessThanOrEqual(12);
    expect(lengths[(COUNT * 3) / 4]).toBeLessThanOrEqual(16);
    expect(labels.filter((label) => label.includes('-')).length / COUNT).toBeCloseTo(0.15, 1);
    expect(labels.filter((label) => /\d/.test(label)).length / COUNT).toBeCloseTo(0.06, 1);
  });

  it('scores more than half of the names zero, and few of them high', () => {
    expect(share(({ wayback }) => wayback === 0)).toBeCloseTo(0.55, 1);
    expect(share(({ wayback }) => wayback >= 100)).toBeCloseTo(0.04, 1);
    expect(share(({ wayback }) => wayback >= 1000)).toBeGreaterThan(0);
  });
});

function share(has: (name: GeneratedName) => boolean): number {
  return names.filter(has).length / COUNT;
}

function hasSuffix(domain: string, suffix: string): boolean {
  return domain.slice(domain.indexOf('.') + 1) === suffix;
}
