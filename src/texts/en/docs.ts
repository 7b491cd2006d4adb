export const docs = {
  linkTo: 'Link to {heading}',
  code: 'Code',
  languages: 'The same in several languages',
  allPages: 'All API pages',
  documents: 'Documents',
  referenceOpenapi: 'Reference (OpenAPI)',
  onThisPage: 'On this page',
  next: 'Next: {menu}',
  deprecated: 'Deprecated',
  deprecatedLabel: 'What is deprecated',
  what: 'What',
  since: 'Since',
  ends: 'Ends',
  instead: 'Instead',
  helpTitle: 'Help and contact',
  helpAbout: 'How to find, check and register a dropped .au name, and how to reach us.',
  pricingAbout: 'What each plan of Bowerbird includes, and what a record is.',
  about: '{title}: how programs use Bowerbird, the search for dropped .au names.',
  ofSite: '{title} of this site.',
  table: 'Table {number}',
  changes: 'Changes for callers',
  changesLead:
    'What programs must know of the API, tools, exports and webhooks. [As a feed](/docs/changelog.atom); ' +
    '[what is deprecated](/changelog).',
  changesFeed: 'Bowerbird: changes for callers',
  release: 'Version {version}',
  groups: { start: 'Start', names: 'Names', events: 'Events', more: 'More' },
  menu: {
    start: 'Quick start',
    samples: 'Code samples',
    api: 'Endpoints in words',
    limits: 'Keys and limits',
    errors: 'Errors',
    webhooks: 'Webhooks',
    mcp: 'AI agents (MCP)',
    ordering: 'Registering names',
    changelog: 'Change log',
    search: 'Search',
    checkList: 'Check a list',
    drops: 'Drops',
    watches: 'Watches',
  },
  helpLead:
    'Bowerbird lists .au names that were dropped, and asks the registry before it lists them. Names are ' +
    'registered with a registrar, not here.',
  helpLeadOrders:
    'Bowerbird lists .au names that were dropped, and asks the registry before it lists them. You register them ' +
    'here from a prepaid balance, or with a registrar.',
  questions: 'Questions',
  howDoRegister: 'How do I register a name?',
  openPagePress:
    'Open its page, press “Check again”, and choose a registrar. The registrar asks who you are and ' +
    'takes the payment.',
  openPageOrder:
    'Open its page and press “Register here”. It needs an account, a registrant with an ABN or ACN, and a ' +
    'balance. The page also leads to other registrars.',
  whatFreeLast: 'What does “free at the last check” mean?',
  registrySaidTime:
    'The registry said at that time that the name could be registered. Someone may have taken it since: ' +
    'the time stands beside every answer, and you can check again.',
  whatArchiveScore: 'What is the archive score?',
  numberDifferentDays:
    'The number of different days on which the web archive saved the home page of the former site. Each ' +
    'of the five bars is ten times the one before it.',
  whoCanRegister: 'Who can register a .au name?',
  peopleOrganisationsAustralian:
    'People and organisations with an Australian presence. Each suffix has its own rules, which the ' +
    'page of a name tells.',
  keysCanUse: 'Which keys can I use?',
  searchJK:
    '<kbd>/</kbd> search, <kbd>J</kbd> and <kbd>K</kbd> move through names, <kbd>O</kbd> opens one, ' +
    '<kbd>S</kbd> adds it to your shortlist, <kbd>C</kbd> checks it, <kbd>?</kbd> shows all keys.',
  programsAiAgents: 'Programs and AI agents',
  startApiDocs:
    'Start with the <docs>API docs</docs>, or the <mcp>tools for AI agents</mcp>. ' +
    '<status>Status</status> says how often we are wrong.',
  contact: 'Contact',
  noContact: 'The operator of this site has not given an address.',
  reportAbuse: 'Report abuse',
  abuseHint: 'Say which name or page it is about. Former holders can ask us to hide a name.',
  security: 'Security',
  pricingTitle: 'Searching is free. Pay for volume.',
  pricingLead: 'Every page of this site is free to read. Plans are for programs, watch lists and bulk work.',
  registerHere: 'Registering a name here',
  registerHereHint:
    'Top up a prepaid balance and pay per name. The price is shown before you confirm. If the registry says ' +
    'no, the money goes back to your balance.',
  howRegistering: 'How registering works',
  whoRegistrant: 'Do you hold my name if I register here?',
  youRegistrant: 'No. You or your organisation are the registrant.',
  comparePlans: 'Compare plans',
  feature: 'Feature',
  whatRecord: 'What counts as a name?',
  nameAnswerSearch:
    'One name in one answer; the API calls it a record. A search that returns 25 names uses 25, a check uses 1. ' +
    'Refused and failed requests use none.',
  whatHappensLimit: 'What happens at the limit?',
  apiAnswers429: 'The API answers 429 and says when to try again. You are never billed for more.',
  doPagesCost: 'Do the pages cost anything?',
  noListsEnd: 'No. Lists end after a number of rows, and of pages in ten minutes. To read more, use the API.',
  doEarnRegistrars: 'Do you earn from registrars?',
  whereDoLink: 'Where we do, the link says so. It never changes the order or the price.',
  talkUs: 'Talk to us',
  talkHint: 'For a plan, an invoice or a question about the data.',
  contactUs: 'Contact us',
  referenceTitle: 'Reference of /{prefix} · Bowerbird',
  mainMenu: 'Main',
  referenceOf: 'Reference of /{prefix}',
  noScript: 'The reference is drawn by a script',
  noScriptHint:
    'Your browser does not run scripts here. The document has the same: <json>as JSON</json> or ' +
    '<yaml>as YAML</yaml>; in words, with samples, <docs>here</docs>.',
  parameterOf: '{parameter} of {operation}',
  withPrefix: 'with its prefix',
} as const;
