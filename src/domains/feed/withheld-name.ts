import type { Domain } from '../schema/domain.js';
import type { DomainName } from '../name/domain-name.js';

/** What is told of a name that is withheld or forgotten: what its text says, and nothing that is known of it. */
export function withheldName({ domain, name, tld }: DomainName): Domain {
  return {
    domain,
    name,
    tld,
    length: name.length,
    hyphens: name.split('-').length - 1,
    digits: name.replace(/\D/g, '').length,
    wayback: 0,
    archive: { status: 'pending', firstCapture: null, lastCapture: null, captures: null },
    firstSeen: null,
    state: 'unconfirmed',
    droppedAt: null,
    available: false,
    hidden: false,
    checkedAt: null,
    confirmedBy: null,
    registryState: null,
    listKind: null,
    listSource: null,
    listedAt: null,
    purgeAt: null,
  };
}
