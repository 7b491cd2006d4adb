import { randomUUID } from 'node:crypto';
import { readConfig } from '../../config/read-config.js';
import { WatchLinks } from './watch-links.js';

const OLD = 'the-old-secret-0123456789-0123456789';
const NEW = 'the-new-secret-0123456789-0123456789';
const linksOf = (secrets: Record<string, string>) => new WatchLinks(readConfig({ AUTH: 'on', ...secrets }));

/** What somebody kept in a reader from the time of the old secret. */
const id = randomUUID();
const kept = new URL(linksOf({ AUTH_SECRET: OLD }).feed(id, 1)).searchParams.get('token') ?? '';

describe('an address that people keep', () => {
  it.each([
    ['is good while the secret before is accepted', { AUTH_SECRET: NEW, AUTH_SECRET_ALSO: OLD }, true],
    ['ends with it', { AUTH_SECRET: NEW }, false],
    ['outlasts it where a secret of its own signs it', { AUTH_SECRET: NEW, WATCH_LINK_SECRET: OLD }, true],
  ])('%s', (_, secrets, isGood) => {
    expect(linksOf(secrets).read('feed', kept)).toEqual(isGood ? { accountId: id, generation: 1 } : null);
  });

  it('is the same after the change of the other secret, and good for nothing else', () => {
    const links = linksOf({ AUTH_SECRET: NEW, WATCH_LINK_SECRET: OLD });
    expect(links.feed(id, 1)).toContain(kept);
    expect(links.read('unsubscribe', kept)).toBeNull();
    expect(links.read('feed', kept.slice(0, -3))).toBeNull();
  });
});
