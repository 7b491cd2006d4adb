/** Events of a name: in mails, behind the name; in its history; for webhooks. */
export const events = {
  'domain.dropped': {
    mail: 'dropped, and the registry confirmed that it is free',
    history: 'Confirmed as free',
    webhook: 'a name is confirmed as free',
  },
  'domain.taken': {
    mail: 'is registered again',
    history: 'Registered again',
    webhook: 'a name is registered again',
  },
  'domain.listed': {
    mail: 'is due to drop',
    history: 'On the drop list',
    webhook: 'a name is due to drop',
  },
  'domain.delisted': {
    mail: 'is no longer on the drop list',
    history: 'Taken off the drop list',
    webhook: 'a name is taken off the drop list',
  },
  'domain.purged': {
    mail: 'dropped, according to the official list; the registry has not confirmed it yet',
    history: 'Its drop time passed',
    webhook: 'a name dropped, according to the official list',
  },
  'domain.rescued': {
    mail: 'was kept by its holder',
    history: 'Kept by its holder',
    webhook: 'a name was kept by its holder',
  },
  'domain.removed': { webhook: 'a name must be removed from your copy' },
  'domain.restored': { webhook: 'a name may return to your copy' },
} as const;
