export const times = {
  soon: 'in a moment',
  now: 'just now',
  ahead: 'in {amount}',
  ago: '{amount} ago',
  minutes: '{count} min',
  hours: '{count} h',
  months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'June', 'July', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'],
  wholeMonths: [
    ...['January', 'February', 'March', 'April', 'May', 'June'],
    ...['July', 'August', 'September', 'October', 'November', 'December'],
  ],
  weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  score: 'score {from}',
  scoreTo: 'score {from} to {to}',
  scoreFrom: 'score {from} or more',
} as const;

/** What people are signed in with, beside the names of products. */
export const devices = {
  iPhone: 'an iPhone',
  iPad: 'an iPad',
  mac: 'a Mac',
  program: 'an unknown program',
  browser: 'a browser',
  system: 'an unknown system',
  on: '{browser} on {system}',
} as const;

/** Who answered. */
export const sources = {
  rdap: 'the registry (RDAP)',
  availability_service: 'the registry (availability service)',
  sandbox: 'the sandbox (made up)',
  reserved_names: 'the list of reserved names',
  registrar: 'the registrar',
} as const;
