export const check = {
  notForAll: 'Not for everybody: {reason}.',
  ruledOut: 'It is {what} ({reason}).',
  title: 'Check a list of names',
  description:
    'Paste up to {most} .au names or a CSV: what the registry says of each, as a table and as CSV.',
  found: '{free} of {names} can be registered',
  free: 'free',
  notFree: 'not free',
  waiting: 'waiting',
  leftOut: 'left out: no records',
  withoutAnswer: 'without an answer',
  chipWaiting: 'Waiting',
  chipLeftOut: 'Left out',
  chipNoAnswer: 'No answer',
  chipNoName: 'No .au name',
  pending:
    'The registry answers one name at a time. The rest should be ready in about {seconds} s. You can ' +
    'close this page and open it again for an hour.',
  showNewAnswers: 'Show new answers',
  outOfRecords:
    'You ran out of records. Names left out were not checked and cost nothing. You have {left} now, and ' +
    'more in {resetIn} s.',
  accountHasMore: '<pricing>An account has more</pricing>.',
  checkRest: 'Check the rest',
  downloadCsv: 'Download CSV',
  anotherList: 'Another list',
  byApi: 'Do this by API',
  lead:
    'Paste up to {max} .au names, or choose a file. We ask the registry about each and tell you who ' +
    'answered and when.',
  namesLabel: 'Names, one per line',
  namesHint: 'The text of a CSV will do too.',
  fileLabel: 'Or a file',
  fileHint: 'CSV or text. From a CSV we read the column “domain”, or else the first.',
  checkNames: 'Check names',
  cost: 'Each answer uses one record. You have {left} left; more in {reset_in} s.',
  inOrder: 'Names in the order in which they were pasted',
} as const;
