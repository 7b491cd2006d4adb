export const plans = {
  names: {
    demo: { title: 'No account', who: 'For looking around' },
    member: { title: 'Free', who: 'For one person who watches names' },
    starter: { title: 'Starter', who: 'For one person who buys names' },
    pro: { title: 'Pro', who: 'For brokers and small teams' },
    firehose: { title: 'Firehose', who: 'For registrars and researchers' },
  },
  hour: '{names} an hour',
  month: '{names} a month',
  minute: '{names} a minute',
  page: '{names} a page',
  watch: 'Watch {names}',
  noCap: 'No monthly cap',
  noWatching: 'No watching',
  webhooks: 'Webhooks',
  groups: {
    names: {
      title: 'Names and checks',
      rows: {
        quota: 'Names a month or an hour',
        minute: 'Names a minute',
        rows: 'Results shown on the site',
        pages: 'List pages in ten minutes',
      },
    },
    api: {
      title: 'API',
      rows: {
        key: 'API key',
        requests: 'Requests a minute',
        page: 'Names a page',
        paging: 'More than one page',
        fields: 'Fields of a name',
      },
    },
    watching: {
      title: 'Watching',
      rows: { names: 'Watched names', searches: 'Saved searches', webhooks: 'Webhooks' },
    },
    bulk: {
      title: 'Bulk data',
      rows: { feed: 'Feed of daily drops', exports: 'Full export and daily changes' },
    },
  },
  fields: { restricted: 'the main ones', full: 'every field' },
  yes: 'yes',
  no: 'no',
  free: 'Free',
  talk: 'Talk to us',
  signUp: 'Create a free account',
} as const;
