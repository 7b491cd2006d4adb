/** What programs may order without asking. */
export const mandates = {
  lead:
    'Without a mandate, each order of a program waits for you. A mandate lets the programs that you name ' +
    'order within limits, up to the cents you allow.',
  back: '<orders>Orders and balance</orders>',
  yours: 'Your mandates',
  none: 'No mandates. Programs can order nothing without you.',
  programs: 'Programs',
  holder: 'Registrant',
  suffixes: 'Suffixes',
  limits: 'This month',
  each: 'at most {order} an order',
  spent: '{spent} of {month}',
  until: 'Until',
  state: 'State',
  change: 'Change',
  active: 'On',
  suspended: 'Needs you',
  expired: 'Expired',
  ended: 'Ended',
  gone: 'removed',
  end: 'End it',
  ofPrograms: 'the mandate of {programs}',
  newText: 'A text below has a new version. Until you accept it, each order waits for you.',
  acceptAgain: 'Accept and go on',
  make: 'Make a mandate',
  noProgram:
    'First <keys>make a key</keys> with the scope orders:place, or connect an app: a mandate names the ' +
    'programs that may use it.',
  noHolder: 'First <registrants>add a registrant</registrants>: names are registered for it.',
  programsHint: 'Nobody else may use it.',
  orderLimit: 'One order, at most (A$)',
  monthLimit: 'A calendar month, at most (A$)',
  limitHint: 'Price with GST. Orders that end without a registration do not count.',
  days: 'Ends',
  in30: 'In 30 days',
  in90: 'In 90 days',
  inAYear: 'In a year',
  unknown: 'Also names for which no source says that the registrant may have them',
  unknownHint:
    'Otherwise such an order waits for you. If the registrant may not have a name, it can be deleted.',
  accept: 'I accept these texts for every order within the mandate',
  acceptHint:
    'Their versions, the time, your session and your network are kept. A new version suspends the mandate.',
  button: 'Make the mandate',
} as const;
