import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');
/** What plugins of better-auth hand one another. */
const SHARED = ['better-call', '@better-fetch/fetch'];

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const read = (...path: string[]) =>
  JSON.parse(readFileSync(join(ROOT, ...path, 'package.json'), 'utf8')) as Package;

const { dependencies = {}, devDependencies = {} } = read();
const pins = { ...dependencies, ...devDependencies };

it('every package is pinned exactly', () => {
  const loose = Object.entries(pins).filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version));
  expect(loose).toEqual([]);
});

it('what is installed is what is pinned', () => {
  const other = Object.entries(pins)
    .filter(([name]) => existsSync(join(ROOT, 'node_modules', name)))
    .map(([name, version]) => [name, version, read('node_modules', name).version])
    .filter(([, wanted, installed]) => wanted !== installed);
  expect(other).toEqual([]);
});

/**
 * better-auth and its plugins are released apart, and share types and state: two versions of one would not meet.
 * 1.7.7 is the last that fits: from 1.7.8 it wants another @better-auth/utils than its newest plugins, which pin 0.4.2.
 */
describe('the family of better-auth', () => {
  const isMember = (name: string) => /^@?better-auth(?:\/|$)/.test(name);
  const members = Object.keys(pins).filter(isMember);
  const asked = members.flatMap((name) => {
    const { dependencies: own, peerDependencies: peers } = read('node_modules', name);
    return Object.entries({ ...own, ...peers })
      .filter(([other]) => isMember(other) || SHARED.includes(other))
      .map(([other, range]) => ({ name, other, range }));
  });

  it('fits together: each gets the versions that it asks for', () => {
    expect(members.length).toBeGreaterThan(4);
    expect(asked.length).toBeGreaterThan(10);
    const unfit = asked
      .map(({ other, ...rest }) => ({ ...rest, other, installed: read('node_modules', other).version }))
      .filter(({ range, installed }) => !fits(installed, range));
    expect(unfit).toEqual([]);
  });

  it('has one copy of what its members share', () => {
    const nested = asked.filter(({ name, other }) =>
      existsSync(join(ROOT, 'node_modules', name, 'node_modules', other)),
    );
    expect(nested).toEqual([]);
  });
});

/** The ranges that the family uses: exact, or from a version on within a major. */
function fits(version: string, range: string): boolean {
  if (!range.startsWith('^')) return version === range;
  const [numbers, least] = [version, range.slice(1)].map((text) => text.split('.').map(Number));
  if (!numbers || !least || numbers[0] !== least[0]) return false;
  const [, minor = 0, patch = 0] = numbers;
  const [, leastMinor = 0, leastPatch = 0] = least;
  return minor > leastMinor || (minor === leastMinor && patch >= leastPatch);
}
